internal import GatewayCore

/// A person's account at the provider: two companies' users of one name are two.
struct OpenIDAccount: Hashable {
  let company: Name
  let user: Name
}
