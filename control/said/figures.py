"""Why Azure's own figure for the budget is not known; ours counts all the same."""

from control.said.book import Book, Sentence

_OURS = "The switch's own reckoning counts."
_NOTHING = (
    "Nothing: limits hold by time and price. Azure's figure only ever adds to them."
)


class Figure(Book):
    """One sentence for each `Unreported`."""

    OFFER = Sentence(
        words=f"Azure tells no costs for this subscription's offer. {_OURS}",
        when="The subscription is of a kind that has no cost data (sponsored, student, "
        "indirect).",
        do="Nothing, or take `BUDGET_NAME` out of the settings.",
    )
    FORBIDDEN = Sentence(
        words=f"The switch may not read Azure's budget. {_OURS}",
        when="Its identity lacks a role on the subscription's costs.",
        do="The owner gives the switch's identity the role Cost Management Reader.",
    )
    NO_BUDGET = Sentence(
        words=f"Azure knows no budget of the name that is set. {_OURS}",
        when="There is no budget `BUDGET_NAME` on the subscription.",
        do="The owner makes it, or corrects `BUDGET_NAME`.",
    )
    REFUSED = Sentence(
        words=f"Azure refuses to tell the budget's figure. {_OURS}",
        when="Another refusal.",
        do="The operator looks at the log.",
    )
    SILENT = Sentence(
        words=f"Azure does not answer for the budget's figure. {_OURS}",
        when="Azure fails, asks to wait, or its answer cannot be read.",
        do=_NOTHING,
    )
    NO_FIGURE = Sentence(
        words=f"Azure's budget has no usable figure. {_OURS}",
        when="It is null (not reckoned yet), negative, or not in `CURRENCY`.",
        do=_NOTHING,
    )
