package import GatewayTokens

/// A name in the vendor's form, a prefix and 22 letters and digits of chance: `api_` and those, for instance.
package enum StreemID {
  private static let length = 22
  private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

  /// A new name, e.g. `api_` and what makes it one.
  package static func make(_ prefix: String, from secrets: Secrets) -> String {
    var name = Array(prefix.utf8)
    name.append(UInt8(ascii: "_"))
    let end = name.count + length
    while name.count < end {
      // Bytes above the last whole multiple of 62 would favour some letters.
      for byte in secrets.bytes(end - name.count) where byte < 248 { name.append(alphabet[Int(byte % 62)]) }
    }
    return String(decoding: name, as: UTF8.self)
  }
}
