import GatewayCore
import GatewayFleet
import GatewayJSON
import GatewayKit
import GatewayPlain
import GatewayProcess
import GatewayTokens

/// The command `postern token bench`: it measures the processor time of every algorithm's signature and of the steps of a
/// verification.
enum TokenBenchCommand: Command {
  static let name = "token bench"
  static let summary = "measure what signing and verifying tokens costs on this machine"
  static let example = "postern token bench --key-file rsa.pem --key-file p256.pem"

  static let sections = [FlagSection("flags", options)]

  private static let keyFileSizeMax = 1 << 20

  private struct Draft: Sendable {
    var duration = Duration.milliseconds(300)
    var keys: [Arguments.Value] = []
  }

  @OptionList<Draft>
  private static var options: [Option<Draft>] {
    Option("duration", "DURATION", "how long each line of the table is measured (default 300ms)", \.duration, .duration)
    Option("key-file", "FILE", "a PEM file with a private key to measure too", each: \.keys)
  }

  static func run(_ arguments: Arguments) async throws -> Int32 {
    var draft = Draft()
    try arguments.read(options, into: &draft)
    let duration = draft.duration
    let secret = SecureRandom.bytes(64)
    for algorithm in AlgorithmSet.hmac.algorithms {
      try measure(try KeyMaterial.secret(secret, algorithms: AlgorithmSet([algorithm])), algorithm, duration)
    }
    for file in draft.keys {
      let key: KeyMaterial
      do {
        key = try KeyMaterial.pem(try InputFile.read(file.text, of: file, sizeMax: keyFileSizeMax))
      } catch let error as KeyError {
        throw UsageError("\(file.source) \(file.text): \(error)")
      }
      for algorithm in try VerificationKey(key).algorithms.algorithms { try measure(key, algorithm, duration) }
    }
    return 0
  }

  private static func measure(_ key: KeyMaterial, _ algorithm: JWTAlgorithm, _ duration: Duration) throws {
    let now = SystemTime.now
    let signer = try JWTSigner(key, algorithm: algorithm)
    let issuer = PlainTokenIssuer(signer: signer)
    let verifier = JWTVerifier(keys: try KeySet([try VerificationKey(key)]))
    func mint() -> String {
      issuer.mint(
        user: UserID("user-000001"), kind: .regular, issuedAt: now, expiresAt: now + .seconds(3600), calls: nil
      )
      .token
    }
    let token = mint()
    let claims = try verifier.verify(token, at: now)
    let fingerprint = TokenFingerprint(of: token)
    let payload = Array(claims.payload.text.utf8)

    Output.line("\(algorithm.name), a token of \(token.utf8.count) bytes")
    line("mint", duration) { _ = mint() }
    line("verify", duration) { _ = try? verifier.verify(token, at: now) }
    guard algorithm == .hs256 else { return }
    line("  of that, header, signature and decoding the payload", duration) {
      _ = try? verifier.verifySignature(token, at: now)
    }
    line("  of that, parsing the claims", duration) { _ = try? JSONDocument.parse(payload) }
    line("claims to user, kind and calls", duration) {
      _ = try? PlainTokenScheme.read(claims, fingerprint: fingerprint)
    }
    line("fingerprint", duration) { _ = TokenFingerprint(of: token) }
  }

  /// Repeats `body` for about `duration`, and prints the processor time of one run in nanoseconds.
  private static func line(_ name: String, _ duration: Duration, _ body: () -> Void) {
    let start = SystemTime.ofThisThread
    var count = 0
    var elapsed = Duration.zero
    repeat {
      for _ in 0..<100 { body() }
      count += 100
      elapsed = SystemTime.ofThisThread - start
    } while elapsed < duration
    let each = Double(elapsed.nanoseconds) / Double(count)
    let figure = Figures.decimal(each, places: 0)
    let pad = String(repeating: " ", count: max(1, 66 - name.count - figure.count))
    Output.line("  \(name)\(pad)\(figure) ns")
  }
}
