"""What happens in priorityd, sent to webhooks as CloudEvents."""
