"""What Azure was seen or reported to do wrong, by name: one module for each place.

`catalogue.OFFERS` has all of it; docs/faults.md is made from that.
"""
