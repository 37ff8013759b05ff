internal import GatewayCore

/// A person's account at the provider.
struct OpenIDAccount: Hashable {
  let company: Name
  let user: Name
}
