internal import GatewayCore
internal import GatewayJSON

/// An issuer's discovery document (OpenID Connect Discovery 1.0 section 3, RFC 8414 section 2).
struct DiscoveryDocument {
  let keys: EndpointAddress

  /// The kinds of documents by which an issuer says where its keys are.
  enum Kind {
    case login
    /// The configuration of a transmitter (OpenID Shared Signals Framework 1.0 section 7.2).
    case transmitter

    /// The addresses of an issuer's document, the usual one first. The issuer's path comes before OpenID Connect's suffix and
    /// behind that of the others.
    func addresses(of issuer: String) throws(EndpointFault) -> [EndpointAddress] {
      let usual = (issuer.utf8.last == UInt8(ascii: "/") ? String(issuer.dropLast()) : issuer)
      let bytes = Array(usual.utf8)
      let start = (bytes.firstIndex(of: UInt8(ascii: ":")) ?? 0) + 3
      let slash = bytes[min(start, bytes.count)...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.count
      let (base, path) = (
        String(decoding: bytes[..<slash], as: UTF8.self), String(decoding: bytes[slash...], as: UTF8.self)
      )
      switch self {
      case .login:
        return [
          try EndpointAddress(usual + "/.well-known/openid-configuration"),
          try EndpointAddress(base + "/.well-known/oauth-authorization-server" + path),
        ]
      case .transmitter:
        // The second is that of the drafts before 1.0.
        return [
          try EndpointAddress(base + "/.well-known/ssf-configuration" + path),
          try EndpointAddress(base + "/.well-known/sse-configuration" + path),
        ]
      }
    }
  }

  /// Reads a document. Throws unless it is of `issuer`, byte for byte, and names its keys.
  init(_ body: [UInt8], of issuer: Name) throws(OutboundFailure) {
    let root: JSONView
    do throws(JSONError) {
      root = try JSONDocument.parse(body).root
    } catch {
      throw OutboundFailure("the discovery document is \(error)", .malformed)
    }
    guard root.isObject, let named = root["issuer"]?.string else {
      throw OutboundFailure("the discovery document has no issuer", .malformed)
    }
    guard Name(named) == issuer else {
      var failure = OutboundFailure(
        "\(issuer) says issuer \(named.prefix(256)) in its discovery document; give that one", .malformed)
      failure.isLasting = true
      throw failure
    }
    guard let address = root["jwks_uri"]?.string else {
      throw OutboundFailure("the discovery document has no jwks_uri", .malformed)
    }
    do throws(EndpointFault) {
      keys = try EndpointAddress(address)
    } catch {
      var failure = OutboundFailure("the jwks_uri of the discovery document is \(error)", .malformed)
      failure.isLasting = error == .plain
      throw failure
    }
  }
}
