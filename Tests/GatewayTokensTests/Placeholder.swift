// GatewayTokensTests
