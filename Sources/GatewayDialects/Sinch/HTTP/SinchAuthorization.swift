internal import GatewayCore
internal import GatewayTokens

/// What an `Authorization` header says, in one of the five forms. Names of schemes are compared without case: vendor code
/// writes them in either.
enum SinchAuthorization: Hashable, Sendable {
  /// `application {key}`: no proof, for public resources.
  case anybody(application: String)
  /// `application {key}:{signature}`: a server.
  case signedApplication(key: String, signature: String)
  /// `user {ticket}`.
  case ticket(String)
  /// `instance {id}:{signature}`.
  case instance(id: String, signature: String)
  /// `Basic`: the application's key and secret themselves.
  case basic(key: String, secret: String)

  /// What the request's header says; nil if there is none or it has another form.
  init?(_ request: HTTPRequest) {
    guard let header = request.header("authorization") else { return nil }
    let words = header.split(separator: " ", maxSplits: 1)
    guard words.count == 2, !words[1].isEmpty else { return nil }
    let value = String(words[1])
    switch words[0].lowercased() {
    case "application":
      let (key, signature) = Self.split(value)
      guard !key.isEmpty else { return nil }
      self = signature.map { .signedApplication(key: key, signature: $0) } ?? .anybody(application: key)
    case "user":
      self = .ticket(value)
    case "instance":
      let (id, signature) = Self.split(value)
      guard !id.isEmpty, let signature else { return nil }
      self = .instance(id: id, signature: signature)
    case "basic":
      guard let bytes = Base64.decode(value), let text = String(validating: bytes, as: UTF8.self) else { return nil }
      let (name, secret) = Self.split(text)
      guard let secret else { return nil }
      // An older module of the vendor's writes `application\` before the key.
      let prefix = "application\\"
      self = .basic(key: name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name, secret: secret)
    default:
      return nil
    }
  }

  /// What stands before the first colon, and what stands behind it; nil if there is none.
  private static func split(_ text: String) -> (String, String?) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    return (parts[0], parts.count == 2 ? parts[1] : nil)
  }
}
