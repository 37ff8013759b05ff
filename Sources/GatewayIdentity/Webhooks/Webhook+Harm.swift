internal import GatewayCore
internal import GatewayKit
internal import GatewayRuntime
internal import GatewayTokens

extension Webhook {
  /// Returns header fields without the signature, or with one that no key of the application makes.
  func fields(_ fields: [HTTPField], under harm: WebhookHarm) -> [HTTPField] {
    guard let signature else { return fields }
    return fields.compactMap { field in
      guard Name(field.name.lowercased()) == Name(signature) else { return field }
      return harm == .unsigned ? nil : HTTPField(field.name, Self.forged(field.value))
    }
  }

  /// Returns as many hexadecimal digits as the signature has, of another one. Commas between several signatures stay, and so
  /// does a beginning that ends with a colon, e.g. the name of the key.
  private static func forged(_ signature: String) -> String {
    let code = Array(hex(HMACSHA256.code(key: Array("another key".utf8), Array(signature.utf8))).utf8)
    let start = signature.utf8.lastIndex(of: UInt8(ascii: ":")).map { signature.utf8.index(after: $0) }
    let signatures = signature[(start ?? signature.startIndex)...]
    let bytes = signatures.utf8.enumerated().map { $1 == UInt8(ascii: ",") ? $1 : code[$0 % code.count] }
    return signature[..<signatures.startIndex] + String(decoding: bytes, as: UTF8.self)
  }
}
