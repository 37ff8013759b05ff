/// Whether text looks like a JWT.
package enum JWTForm {
  /// Returns whether `token` has the form of a signed JWT: three segments, the first of which begins as the encoded `{"` does.
  package static func isOne(_ token: String) -> Bool {
    guard token.utf8.starts(with: "ey".utf8) else { return false }
    return token.utf8.reduce(0) { $1 == UInt8(ascii: ".") ? $0 + 1 : $0 } == 2
  }
}
