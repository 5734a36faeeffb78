"""Every sentence that a person can be told, each in one place: pure, no SDK.

A sentence stands here and nowhere else. `docs/messages.md` is made from these books.
"""
