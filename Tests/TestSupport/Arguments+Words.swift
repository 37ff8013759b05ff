package import GatewayCore
internal import GatewayJSON
package import GatewayKit
internal import GatewayTokens
internal import Testing

extension Arguments {
  /// Parses the words of a command line: every flag is followed by its value, except switches. `secret` is the
  /// environment's.
  package init(_ words: [String], _ flags: [Flag], secret: String? = nil) {
    self.init(flags: flags)
    var rest = words[...]
    while let word = rest.popFirst() {
      guard let flag = self.flags[String(word.dropFirst(2))] else { preconditionFailure("no flag \(word)") }
      let text = flag.value == nil ? "true" : rest.popFirst() ?? ""
      given[flag.name, default: []].append(Value(text: text, source: word))
    }
    if let secret, given["secret"] == nil { given["secret"] = [Value(text: secret, source: "POSTERN_SECRET")] }
  }
}

/// The commands `postern token mint|verify` for one vendor, without a process.
package struct TokenCommands: Sendable {
  package let vendor: any OfferedVendor.Type
  /// The environment's value for `--secret`.
  package var secret: String?
  package let now: WallTime

  package init(_ vendor: any OfferedVendor.Type, secret: String?, at now: WallTime) {
    self.vendor = vendor
    self.secret = secret
    self.now = now
  }

  package func mint(_ words: [String]) throws -> String {
    let flags = MintDraft.flags() + TokenKeys.flags + vendor.tokens.mintFlags
    return try vendor.mint(Arguments(words, flags, secret: secret), at: now)
  }

  package func verify(_ token: String, _ words: [String] = [], at time: WallTime? = nil) throws -> TokenReport {
    let flags = VerifyDraft.flags() + TokenKeys.flags + TokenKeys.policyFlags + vendor.tokens.verifyFlags
    return try vendor.verify(token, Arguments(words, flags, secret: secret), at: time ?? now)
  }

  /// Returns the check and the code with which a token is refused, and checks that no message contains the token
  /// itself.
  package func refusal(_ token: String, _ words: [String]) throws -> [String] {
    let report = try verify(token, words)
    let answer = try JSONDocument.parse(report.json).root
    #expect(!report.isValid && answer["valid"]?.bool == false && !report.json.contains(token))
    return [answer["check"]?.string ?? "", answer["error"]?["code"]?.text ?? ""]
  }

  /// Returns what a token is by its form.
  package func nature(_ token: String) -> TokenNature? {
    (try? UnverifiedToken(token)).flatMap { vendor.tokens.nature(of: $0, token) }
  }

  /// Returns the error of a mistake in minting; "none" if there is none.
  package func mistake(_ words: String...) -> String {
    do {
      _ = try mint(words)
      return "none"
    } catch {
      return "\(error)"
    }
  }
}

extension OfferedVendor {
  /// Returns the settings from flags of `serve`.
  package static func settings(_ words: [String], _ own: OwnKeys) throws -> Settings {
    try settings(Arguments(words, flags), own)
  }

  /// Returns the error about impossible flags of `serve`; empty for others.
  package static func complaint(_ words: [String], _ own: OwnKeys) -> String {
    do {
      _ = try settings(words, own)
      return ""
    } catch {
      return "\(error)"
    }
  }
}

extension OwnKeys {
  /// Returns keys of a test's own.
  package static func test() throws -> OwnKeys {
    let secret = "a secret of more than thirty-two bytes"
    let key = try KeyMaterial.secret(Array(secret.utf8))
    return OwnKeys(
      verifier: JWTVerifier(keys: try KeySet([try VerificationKey(key)])), signer: try JWTSigner(key), secret: secret)
  }
}
