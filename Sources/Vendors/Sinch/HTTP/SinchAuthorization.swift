internal import GatewayCore
internal import GatewayTokens

/// The content of an `Authorization` header, in one of five forms. Names of schemes are compared ignoring case, since
/// vendor code uses both.
enum SinchAuthorization: Hashable, Sendable {
  /// `application {key}`: without a proof, for public resources.
  case anybody(application: Name)
  /// `application {key}:{signature}`: a server.
  case signedApplication(key: Name, signature: String)
  /// `user {ticket}`.
  case ticket(String)
  /// `instance {id}:{signature}`.
  case instance(id: Name, signature: String)
  /// `Basic`: the application's key and secret.
  case basic(key: Name, secret: String)

  /// Reads the request's header; fails if there is none or it has another form.
  init?(_ request: HTTPRequest) {
    guard let header = request.header("authorization") else { return nil }
    guard let (scheme, value) = Self.split(header, at: " "), !value.isEmpty else { return nil }
    switch scheme.lowercased() {
    case "application":
      guard let (key, signature) = Self.split(value, at: ":") else {
        self = .anybody(application: Name(value))
        return
      }
      guard !key.isEmpty else { return nil }
      self = .signedApplication(key: Name(key), signature: signature)
    case "user":
      self = .ticket(value)
    case "instance":
      guard let (id, signature) = Self.split(value, at: ":"), !id.isEmpty else { return nil }
      self = .instance(id: Name(id), signature: signature)
    case "basic":
      guard let bytes = Base64.decode(value), let text = String(validating: bytes, as: UTF8.self),
        let (name, secret) = Self.split(text, at: ":")
      else { return nil }
      // An older module of the vendor writes `application\` before the key.
      let prefix = "application\\".utf8
      let key = name.utf8.starts(with: prefix) ? Substring(name.utf8.dropFirst(prefix.count)) : Substring(name)
      self = .basic(key: Name(key), secret: secret)
    default:
      return nil
    }
  }

  /// Splits the text at the first `separator`, by bytes; returns nil if there is none.
  private static func split(_ text: String, at separator: Unicode.Scalar) -> (String, String)? {
    guard let index = text.utf8.firstIndex(of: UInt8(ascii: separator)) else { return nil }
    return (String(text[..<index]), String(text[text.utf8.index(after: index)...]))
  }
}
