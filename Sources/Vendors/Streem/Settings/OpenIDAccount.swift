internal import GatewayCore

/// A person's account at the provider: two companies' users of one name are two, ann of `postern` and ann of `acme` for
/// instance.
struct OpenIDAccount: Hashable {
  let company: Name
  let user: Name
}
