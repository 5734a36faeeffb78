"""What the phone page says while a phone gets its token, or has lost it."""

from control.said.book import Book, Sentence


class Pairing(Book):
    """Around the code, the token, and the steps to install the app."""

    PAIR = Sentence(words="Pair this phone", when="Without a token.", do="Pair it.")
    PAIR_HOW = Sentence(
        words="The operator runs “python -m control pair <name>”, which shows a code. "
        "Scan it with the Camera app, or type it here.",
        when="Without a token.",
        do="Ask the operator for a code.",
    )
    SCANNED = Sentence(
        words="A code was scanned: {code}",
        when="The page was opened with a code.",
        do="Choose where to use it: it works once.",
        example={"code": "7Q3XK-2M9PA"},
    )
    SCANNED_HOW = Sentence(
        words="It works once, for 10 minutes. Use it where you will press the button.",
        when="Below it.",
        do="On an iPhone: in the app on the home screen. Else here.",
    )
    USE_HERE = Sentence(words="Use it here", when="A button.", do="Tap it.")
    COPY = Sentence(words="Copy the code", when="A button.", do="Tap it.")
    NOT_NOW = Sentence(
        words="Not now",
        when="A button, on a phone that is paired already.",
        do="Tap it.",
    )
    COPIED = Sentence(
        words="Copied. Open the app and tap “Paste”.", when="Then.", do="As it says."
    )
    NOT_COPIED = Sentence(
        words="Not copied. Remember the code: {code}",
        when="The browser forbids it.",
        do="Type it in the app.",
        example={"code": "7Q3XK-2M9PA"},
    )
    INSTALL = Sentence(
        words="As an app", when="Above the steps to install it.", do="Follow them."
    )
    INSTALL_IPHONE = Sentence(
        words="On an iPhone: copy the code first. Then Share, Add to Home Screen, open "
        "the app from there and tap “Paste”. The app knows nothing of the browser's.",
        when="Where a code was scanned.",
        do="As it says.",
    )
    INSTALL_ANDROID = Sentence(
        words="On Android: tap “Use it here”. Then the browser's menu, Install app.",
        when="Where a code was scanned.",
        do="As it says.",
    )
    PASTE = Sentence(words="Paste", when="A button.", do="Tap it after copying.")
    NOTHING_PASTED = Sentence(
        words="That is no code. Copy the code first, or type it.",
        when="What was pasted or typed has not the form of a code.",
        do="Copy it once more.",
    )
    CODE = Sentence(
        words="Pairing code (or a token)", when="Above the field.", do="Type it."
    )
    PAIR_IT = Sentence(words="Pair", when="A button.", do="Tap it.")
    PAIRED = Sentence(
        words="Paired as {device}.",
        when="It was.",
        do="Nothing.",
        example={"device": "iphone"},
    )
    PAIR_UNANSWERED = Sentence(
        words="Not paired: no answer came. Try once more; if the code is used up then, "
        "ask for a new one.",
        when="The answer to a pairing was lost.",
        do="Try once more.",
    )
    REMOVED = Sentence(
        words="This phone was removed",
        when="The operator revoked its token.",
        do="Ask the operator for a new code.",
    )
    UNKNOWN_HERE = Sentence(
        words="This phone is not known",
        when="The switch does not know its token.",
        do="Ask the operator for a new code.",
    )
    TRY_AGAIN = Sentence(words="Try again", when="A button then.", do="Tap it.")
    THIS_PHONE = Sentence(words="This phone", when="At the end.", do="Nothing.")
    FORGET = Sentence(
        words="Forget the token on this phone",
        when="A button there.",
        do="Tap it before you give the phone away.",
    )
