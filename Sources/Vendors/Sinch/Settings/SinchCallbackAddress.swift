internal import GatewayCore

/// The callback URL of the applications, as an operator would set it at the vendor's dashboard.
struct SinchCallbackAddress: Hashable, Sendable {
  let url: String
  /// The path with the query string, which the signature covers.
  let path: String

  /// Fails unless `url` is an address over http or https without a user or a fragment.
  init?(_ url: String) {
    guard let address = WebAddress(url), ["http", "https"].contains(address.scheme), !address.hasUser,
      !address.hasFragment
    else { return nil }
    self.url = url
    let path = address.path.isEmpty ? "/" : address.path
    self.path = address.query.map { "\(path)?\($0)" } ?? path
  }
}
