internal import GatewayCore
internal import GatewayJSON
internal import Glibc

/// The three segments of a compact JWS (RFC 7515 section 7.1), still encoded, borrowed from the token's bytes.
struct CompactToken {
  let header: UnsafeRawBufferPointer
  let payload: UnsafeRawBufferPointer
  let signature: UnsafeRawBufferPointer
  /// The bytes that the signature covers: header, dot and payload.
  let signingInput: UnsafeRawBufferPointer

  /// Splits a token. Throws unless there are exactly three segments and the first two are not empty. The third may be empty, so
  /// that the error for `none` can name it.
  init(_ token: UnsafeRawBufferPointer) throws(TokenError) {
    guard let first = Self.dot(in: token, from: 0), first > 0, let last = Self.dot(in: token, from: first + 1),
      last > first + 1, Self.dot(in: token, from: last + 1) == nil
    else { throw .notThreeSegments }
    header = UnsafeRawBufferPointer(rebasing: token[..<first])
    payload = UnsafeRawBufferPointer(rebasing: token[(first + 1)..<last])
    signature = UnsafeRawBufferPointer(rebasing: token[(last + 1)...])
    signingInput = UnsafeRawBufferPointer(rebasing: token[..<last])
  }

  /// Returns the index of the first dot at or after `start`.
  private static func dot(in token: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard start < token.count, let base = token.baseAddress,
      let found = memchr(base + start, Int32(UInt8(ascii: ".")), token.count - start)
    else { return nil }
    return UnsafeRawPointer(found) - base
  }

  /// Decodes a segment into temporary memory and passes it to `body`.
  static func decode<T>(
    _ segment: UnsafeRawBufferPointer, _ name: TokenError.Segment,
    _ body: (UnsafeRawBufferPointer) throws(TokenError) -> T
  ) throws(TokenError) -> T {
    guard let count = Base64URL.decodedCount(segment.count) else { throw .encoding(name) }
    return try withUnsafeTemporaryAllocation(byteCount: max(count, 1), alignment: 1) { buffer throws(TokenError) in
      guard Base64URL.decode(segment, into: buffer) else { throw .encoding(name) }
      return try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  /// Decodes a segment that must be one JSON object.
  static func object(
    _ segment: UnsafeRawBufferPointer, _ name: TokenError.Segment
  ) throws(TokenError) -> JSONView {
    try decode(segment, name) { bytes throws(TokenError) in
      let root: JSONView
      do throws(JSONError) {
        root = try JSONDocument(bytes).root
      } catch {
        throw .json(name, error)
      }
      guard root.isObject else { throw .json(name, .malformed(position: 0)) }
      return root
    }
  }
}
