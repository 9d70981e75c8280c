"""Sends the events of priorityd to webhooks as CloudEvents."""
