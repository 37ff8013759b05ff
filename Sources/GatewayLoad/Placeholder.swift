// GatewayLoad
