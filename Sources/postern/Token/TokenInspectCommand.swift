import GatewayCore
import GatewayJSON
import GatewayKit
import GatewayProcess
import GatewayTokens

/// The command `postern token inspect`: it decodes a token without verifying it, and says so.
enum TokenInspectCommand: Command {
  static let name = "token inspect"
  static let summary = "print what a token contains, without verifying it"
  static let operands = "[TOKEN]"
  static let example = "postern token mint --user ann --secret-file secret | postern token inspect"

  static let sections = [FlagSection("flags", options)]

  private static let options: [Option<Bool>] = [Option("json", "print one JSON object", \.self)]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let token = try TokenInput.read(arguments)
    var json = false
    try arguments.read(options, into: &json)
    do throws(TokenError) {
      Output.line(try inspect(token, json: json, at: SystemTime.now))
      return 0
    } catch {
      Output.error("not a token that can be read: \(error)")
      return 1
    }
  }

  /// Returns the content of `token`, as text for people or as JSON.
  static func inspect(_ token: String, json: Bool, at now: WallTime) throws(TokenError) -> String {
    if AccessToken.isOne(token) { return opaque(token, json: json) }
    if let nature = Self.nature(ofOpaque: token) { return json ? object(nature) : nature }
    let decoded = try UnverifiedToken(token)
    let nature = Self.nature(of: decoded, token)
    return json ? object(decoded, nature) : text(decoded, nature, at: now)
  }

  /// Returns the kind of an opaque token by its form; nil if no vendor knows the form.
  private static func nature(ofOpaque token: String) -> String? {
    Vendors.all.lazy.compactMap { $0.tokens.nature(ofOpaque: token) }.first
  }

  /// Returns the kind of a JWT by the names of its claims. A vendor's own form precedes one that several share, and the
  /// gateway's own form comes last.
  private static func nature(of decoded: UnverifiedToken, _ token: String) -> String {
    var shared: (nature: String, titles: [String])?
    for vendor in Vendors.all.dropFirst() + Vendors.all.prefix(1) {
      switch vendor.tokens.nature(of: decoded, token) {
      case .own(let nature): return nature
      case .shared(let nature): shared = (nature, (shared?.titles ?? []) + [vendor.title])
      case nil: break
      }
    }
    return shared.map { "\($0.nature), of \($0.titles.joined(separator: " or "))" } ?? "a JWT of none of the schemes"
  }

  /// Returns the JSON for a vendor's opaque token. It has no fingerprint, which would identify it to no one.
  private static func object(_ nature: String) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("verified", false)
    writer.member("opaque", true)
    writer.member("nature", nature)
    writer.endObject()
    return writer.text
  }

  private static func object(_ token: UnverifiedToken, _ nature: String) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("verified", false)
    writer.member("nature", nature)
    writer.name("header")
    writer.raw(token.header.text)
    writer.name("payload")
    writer.raw(token.payload.text)
    let doubts = doubts(about: token.payload)
    if !doubts.isEmpty { writer.member("caveats", strings: doubts) }
    writer.member("signature_bytes", Int64(token.signatureSize))
    writer.member("fingerprint", token.fingerprint.description)
    writer.endObject()
    return writer.text
  }

  private static func text(_ token: UnverifiedToken, _ nature: String, at now: WallTime) -> String {
    var lines = [
      "NOT VERIFIED: anybody can write such a token; postern token verify checks it", "", nature, "", "header",
    ]
    lines += members(token.header, at: now)
    lines += ["", "payload"]
    lines += members(token.payload, at: now)
    lines += ["", "signature    \(token.signatureSize) bytes", "fingerprint  \(token.fingerprint)"]
    return lines.joined(separator: "\n")
  }

  private static func members(_ object: JSONView, at now: WallTime) -> [String] {
    let members = object.members ?? []
    let dates = dates
    let width = members.map(\.name.count).max() ?? 0
    return members.map { name, value in
      let isDate = dates.contains(name)
      let label = "  \(name)\(String(repeating: " ", count: width - name.count))  "
      if isDate, NumericDate.doubt(value) != nil { return label + doubt(value, at: now) }
      let date = isDate ? NumericDate.read(value).map { "  \(SystemTime.text($0, from: now))" } : nil
      return "\(label)\(value.text)\(date ?? "")"
    }
  }

  /// The claims that are dates.
  private static var dates: [String] { ["exp", "nbf", "iat"] + Vendors.all.flatMap { $0.tokens.dates } }

  /// Returns what is odd about the date, and the date it would be in milliseconds.
  private static func doubt(_ value: JSONView, at now: WallTime) -> String {
    let words = NumericDate.doubt(value) ?? value.text
    guard let milliseconds = value.number, milliseconds < 253_402_300_800_000 else { return words }
    return words + "; in milliseconds \(SystemTime.text(WallTime(seconds: milliseconds / 1000), from: now))"
  }

  /// Returns what is odd about each date of a token's claims, with the claim's name.
  static func doubts(about payload: JSONView) -> [String] {
    (payload.members ?? []).compactMap { name, value in
      guard dates.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else { return nil }
      return NumericDate.doubt(value).map { "\(name) \($0)" }
    }
  }

  private static func opaque(_ token: String, json: Bool) -> String {
    let isWellFormed = AccessToken.hash(of: token) != nil
    let fingerprint = TokenFingerprint(of: token).description
    guard json else {
      let form =
        isWellFormed
        ? "an opaque access token: only the gateway knows what it stands for" : "no access token: wrong form"
      return "\(form)\nfingerprint  \(fingerprint)"
    }
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("verified", false)
    writer.member("opaque", true)
    writer.member("well_formed", isWellFormed)
    writer.member("fingerprint", fingerprint)
    writer.endObject()
    return writer.text
  }
}
