// GatewayDialects
