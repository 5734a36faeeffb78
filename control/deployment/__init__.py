"""What an operator's commands know of a deployment: pure; nothing of it is deployed."""
