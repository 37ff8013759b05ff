// GatewayStoresTests
