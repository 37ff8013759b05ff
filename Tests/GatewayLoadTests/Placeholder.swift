// GatewayLoadTests
