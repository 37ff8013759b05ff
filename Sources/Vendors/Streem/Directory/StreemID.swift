internal import GatewayTokens

/// A generator of ids in the vendor's form: a prefix and 22 random letters and digits.
enum StreemID {
  private static let length = 22
  private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

  /// Returns a new id with that prefix, e.g. `api_`.
  static func make(_ prefix: String, from secrets: Secrets) -> String {
    var name = Array(prefix.utf8)
    name.append(UInt8(ascii: "_"))
    let end = name.count + length
    while name.count < end {
      // Bytes above the last multiple of 62 would make some letters more probable.
      for byte in secrets.bytes(end - name.count) where byte < 248 { name.append(alphabet[Int(byte % 62)]) }
    }
    return String(decoding: name, as: UTF8.self)
  }
}
