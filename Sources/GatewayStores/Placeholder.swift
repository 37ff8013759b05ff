// GatewayStores
