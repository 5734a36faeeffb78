"""The HTTP contract: routes, tokens, bodies, documents, sentences and problems."""
