// GatewayTokens
