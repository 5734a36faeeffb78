"""What a region has for a machine: its size, the quota that is left, its image."""

from collections.abc import Mapping
from typing import Any

from control.azure.faults import unanswered
from control.azure.resources import Resources
from control.deployment.gates import Image, Stock

_SKUS, _USAGES, _IMAGES = "2021-07-01", "2024-07-01", "2024-07-01"
_MOST_PAGES = 40
_EVERY_FAMILY = "cores"


def stock(
    resources: Resources,
    subscription: str,
    location: str,
    size: str,
    image: Mapping[str, str] | None,
) -> Stock:
    """Read it; without an `image` none is looked for: a used disk has its own."""
    compute = f"/subscriptions/{subscription}/providers/Microsoft.Compute"
    there = f"{compute}/locations/{location}"
    sizes = resources.pages(
        f"{compute}/skus", _SKUS, _MOST_PAGES, filter=f"location eq '{location}'"
    )
    found = [each for each in sizes if _is_size(each, size)]
    usages = list(resources.pages(f"{there}/usages", _USAGES, _MOST_PAGES))
    try:
        family = found[0]["family"] if found else ""
        return Stock(
            offered=bool(found),
            restrictions=tuple(
                each["reasonCode"]
                for one in found
                for each in one["restrictions"]
                # A zone that is closed closes no machine that asks for none.
                if each.get("type") != "Zone"
            ),
            cores=_cores(found[0]) if found else 0,
            family=family,
            family_left=_left(usages, family),
            region_left=_left(usages, _EVERY_FAMILY),
            image=_image(resources, there, image) if image else None,
        )
    except (KeyError, TypeError, ValueError):
        raise unanswered("ARM's sizes or quotas can't be read.") from None


def _is_size(sku: Any, size: str) -> bool:
    machines = sku.get("resourceType") == "virtualMachines"
    return machines and str(sku.get("name")).lower() == size.lower()


def _cores(sku: Any) -> int:
    named = {each["name"]: each["value"] for each in sku["capabilities"]}
    return int(named["vCPUs"])


def _left(usages: list[Any], name: str) -> int | None:
    """Return what is free of it; None where the region does not name it."""
    for each in usages:
        if each["name"]["value"].lower() == name.lower():
            return int(each["limit"]) - int(each["currentValue"])
    return None


def _image(resources: Resources, there: str, image: Mapping[str, str]) -> Image:
    path = (
        f"{there}/publishers/{image['publisher']}/artifacttypes/vmimage"
        f"/offers/{image['offer']}/skus/{image['sku']}/versions/{image['version']}"
    )
    found = resources.read(path, _IMAGES)
    said = (found or {}).get("properties") or {}
    return Image(
        name=":".join(image[each] for each in ("publisher", "offer", "sku", "version")),
        found=found is not None,
        generation=said.get("hyperVGeneration", "V2"),
        plan=bool(said.get("plan")),
    )
