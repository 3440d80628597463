"""In front of the API: connections, TLS, who may call a route, limits of requests and answers."""
