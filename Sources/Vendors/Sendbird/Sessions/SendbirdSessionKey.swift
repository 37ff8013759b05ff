internal import GatewayCore
internal import GatewayTokens

/// A session key on the wire: the whole session in base64url, with a proof that this application created it.
///
/// A gateway that was restarted, or had to forget the session, restores it from any of its keys.
struct SendbirdSessionKey: Hashable {
  /// The session's number.
  let id: UInt64
  /// The session at the time when the key was created.
  let session: SendbirdSession

  private static let proofSize = 16
  /// Number, generation, flags, four times and a fingerprint.
  private static let headSize = 8 + 4 + 1 + 4 * 8 + 16
  private static let sizeMax = 1_024

  private static let forms: [TokenForm] = [.none, .jwt, .opaque, .session]

  init(_ id: UInt64, _ session: SendbirdSession) {
    self.id = id
    self.session = session
  }

  /// Fails unless `text` is a key that `signer` created.
  init?(_ text: String, signer: JWTSigner) {
    guard text.utf8.count <= Self.sizeMax, let bytes = Base64URL.decode(text),
      bytes.count > Self.headSize + Self.proofSize
    else { return nil }
    let content = Array(bytes.dropLast(Self.proofSize))
    guard
      ConstantTime.areEqual(Self.proof("session key", content, signer), Array(bytes.suffix(Self.proofSize)))
    else { return nil }
    var reader = Reader(content[...])
    id = reader.next()
    let generation: UInt32 = reader.next()
    let flags: UInt8 = reader.next()
    let (begunAt, keyEnd) = (reader.time() ?? WallTime(nanoseconds: 0), reader.time())
    let (issuedAt, expiresAt) = (reader.time(), reader.time())
    let fingerprint = TokenFingerprint(high: reader.next(), low: reader.next())
    session = SendbirdSession(
      user: UserID(String(decoding: reader.rest, as: UTF8.self)), kind: flags & 4 == 0 ? .regular : .guest,
      isForHTTP: flags & 2 != 0, begunAt: begunAt, isExpiring: flags & 1 != 0,
      token: SendbirdAcceptedToken(
        form: Self.forms[Int(flags >> 3 & 3)], fingerprint: fingerprint, issuedAt: issuedAt, expiresAt: expiresAt),
      keyEnd: keyEnd, generation: generation)
  }

  func text(signer: JWTSigner) -> String {
    let content = content
    return Base64URL.encode(content + Self.proof("session key", content, signer))
  }

  /// Returns the session's second key, which clients put into the URLs of protected files.
  func fileKey(signer: JWTSigner) -> String {
    Base64URL.encode(Self.proof("file key", Self.bytes(id), signer))
  }

  private var content: [UInt8] {
    let form = Self.forms.firstIndex(of: session.token.form) ?? 0
    let flags =
      (session.isExpiring ? 1 : 0) | (session.isForHTTP ? 2 : 0) | (session.kind == .guest ? 4 : 0) | UInt8(form) << 3
    var content = Self.bytes(id) + Self.bytes(session.generation) + [flags]
    for time in [session.begunAt, session.keyEnd, session.token.issuedAt, session.token.expiresAt] {
      content += Self.bytes(time?.nanoseconds ?? Reader.noTime)
    }
    content += Self.bytes(session.token.fingerprint.high) + Self.bytes(session.token.fingerprint.low)
    return content + Array(session.user.rawValue.utf8)
  }

  /// Returns the proof of some content. The purpose prevents one kind of proof from being used as another, or as a
  /// token's signature.
  private static func proof(_ purpose: String, _ content: [UInt8], _ signer: JWTSigner) -> [UInt8] {
    Array(signer.signature(of: Array("\(purpose) ".utf8) + content).prefix(proofSize))
  }

  private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian, Array.init)
  }

  /// A reader of numbers in authenticated bytes; missing bytes count as 0.
  private struct Reader {
    static let noTime = Int64.min
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
      rest = bytes
    }

    mutating func next<Number: FixedWidthInteger>() -> Number {
      let size = Number.bitWidth / 8
      let number = rest.prefix(size).reduce(0) { ($0 as Number) << 8 | Number(truncatingIfNeeded: $1) }
      rest = rest.dropFirst(size)
      return number
    }

    mutating func time() -> WallTime? {
      let nanoseconds: Int64 = next()
      return nanoseconds == Self.noTime ? nil : WallTime(nanoseconds: nanoseconds)
    }
  }
}
