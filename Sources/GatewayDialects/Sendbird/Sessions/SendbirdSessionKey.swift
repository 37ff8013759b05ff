internal import GatewayCore
internal import GatewayTokens

/// A session key on the wire: 48 hexadecimal digits that name a session and a generation of its keys, and prove that this
/// application made them.
///
/// A key that proves good but names a session nobody remembers is that of a session that has ended; so a gateway that
/// was started anew, or had to forget, tells its clients to refresh in place of shutting them out.
struct SendbirdSessionKey: Hashable {
  let session: UInt64
  let generation: UInt32

  private static let proofSize = 12
  private static let size = 24

  init(session: UInt64, generation: UInt32) {
    self.session = session
    self.generation = generation
  }

  /// Nil unless `text` is a key that `signer` made.
  init?(_ text: String, signer: JWTSigner) {
    guard let bytes = Self.bytes(text) else { return nil }
    session = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
    generation = bytes[8..<12].reduce(0) { $0 << 8 | UInt32($1) }
    guard ConstantTime.areEqual(proof("session key", signer), Array(bytes[12...])) else { return nil }
  }

  func text(signer: JWTSigner) -> String {
    Self.hex(named + proof("session key", signer))
  }

  /// The session's second key, which clients put into the addresses of protected files.
  func fileKey(signer: JWTSigner) -> String {
    Self.hex(SendbirdSessionKey(session: session, generation: 0).proof("file key", signer))
  }

  private var named: [UInt8] {
    withUnsafeBytes(of: session.bigEndian, Array.init) + withUnsafeBytes(of: generation.bigEndian, Array.init)
  }

  /// The purpose keeps one kind of proof from passing as another, or as a token's signature.
  private func proof(_ purpose: String, _ signer: JWTSigner) -> [UInt8] {
    Array(signer.signature(of: Array("\(purpose) ".utf8) + named).prefix(Self.proofSize))
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(2 * bytes.count)
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func bytes(_ text: String) -> [UInt8]? {
    guard text.utf8.count == 2 * size else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size)
    var high: UInt8?
    for digit in text.utf8 {
      let value: UInt8
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
      default: return nil
      }
      if let half = high {
        bytes.append(half << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    return bytes
  }
}
