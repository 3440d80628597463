"""The words of a submit: options, directives, settings, scripts."""
