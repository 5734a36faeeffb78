"""The adapters on Azure's own SDKs, one file per service; nothing else imports them."""
