import GatewayCore
import GatewayIdentity
import GatewayKit
import GatewayTokens
import GatewayWires

/// The file of `serve --identity`: the issuers whose tokens the gateway accepts, as JSON with comments (JSON5).
enum IdentityFile {
  private static let format = 1
  private static let nameLengthMax = 64
  private static let audiencesMax = 16
  private static let members = [
    "name", "issuer", "discovery", "jwks", "audience", "algorithms", "type", "user", "user_prefix", "logout",
  ]

  /// Reads the issuers. Throws an error with the place in the file, or one that names the flag if the file cannot be read.
  ///
  /// - Parameters:
  ///   - file: The flag's value, the path.
  ///   - policy: The requirements for all tokens, to which each issuer adds its own.
  static func issuers(in file: Arguments.Value, policy: TokenPolicy) throws -> [IssuerSettings] {
    do {
      return try read(try DescriptionFile.read(file.text, of: file), policy: policy)
    } catch let error as DescriptionError {
      throw UsageError("\(error)")
    }
  }

  /// Reads the issuers of a file that is read already.
  static func read(_ file: Described, policy: TokenPolicy) throws(DescriptionError) -> [IssuerSettings] {
    let object = try file.object(["identity", "issuers"])
    let format = try object.required("identity", example: "\(format)")
    guard try format.integer(in: 0...1_000) == Self.format else {
      throw format.error("another format of this file; expected \(Self.format)")
    }
    let list = try object.required(
      "issuers", example: #"[{"name": "login", "issuer": "https://login.example.com/", …}]"#)
    let entries = try list.elements()
    guard (1...LoginIssuers.countMax).contains(entries.count) else {
      throw list.error("expected 1 to \(LoginIssuers.countMax) issuers")
    }
    var issuers: [IssuerSettings] = []
    for entry in entries {
      let settings = try issuer(entry, policy)
      if issuers.contains(where: { Name($0.name) == Name(settings.name) }) {
        throw entry.error("a second issuer with the name '\(settings.name)'")
      }
      if issuers.contains(where: { $0.policy.issuer == settings.policy.issuer }) {
        throw entry.error("a second entry for \(settings.policy.issuer?.text ?? "")")
      }
      issuers.append(settings)
    }
    try checkPrefixes(of: issuers, list)
    return issuers
  }

  private static func issuer(_ entry: Described, _ common: TokenPolicy) throws(DescriptionError) -> IssuerSettings {
    let object = try entry.object(members)
    let name = try object.required("name", example: "\"login\"")
    guard isLabel(try name.text()) else {
      throw name.error("expected a name of 1 to \(nameLengthMax) lower-case letters, digits, - and _")
    }
    guard !isOurs(try name.text()) else {
      throw name.error("'\(try name.text())' is the name of an endpoint of the gateway in metrics; choose another")
    }
    let address = try object.required("issuer", example: "\"https://login.example.com/\"")
    var policy = common
    policy.issuer = Name(try text(address, lengthMax: 2_048))
    if let audience = object["audience"] {
      let named = try audience.oneOrMore()
      guard (1...audiencesMax).contains(named.count) else { throw audience.error("expected 1 to \(audiencesMax)") }
      policy.audiences = try named.map { (one) throws(DescriptionError) in Name(try text(one, lengthMax: 2_048)) }
    }
    if let type = object["type"] { policy.type = try text(type, lengthMax: 128) }
    let place = try place(object)
    var settings: IssuerSettings
    let label = try text(name)
    do throws(EndpointFault) {
      settings = try IssuerSettings(name: label, place, policy: policy)
    } catch {
      throw address.error("\(error)")
    }
    if let algorithms = object["algorithms"] { settings.algorithms = try self.algorithms(algorithms) }
    if let user = object["user"] { settings.users.claim = try text(user, lengthMax: 128) }
    if let prefix = object["user_prefix"] { settings.users.prefix = try text(prefix, lengthMax: nameLengthMax) }
    if let logout = object["logout"] {
      settings.logoutAudiences = try logout.oneOrMore().map { (one) throws(DescriptionError) in
        Name(try text(one, lengthMax: 2_048))
      }
    }
    return settings
  }

  /// Returns whether an endpoint that is no issuer's has that name in metrics.
  private static func isOurs(_ name: String) -> Bool {
    [IntrospectionSettings.name, transmitterName].contains { Name($0) == Name(name) }
      || ["hook_", "webhook_"].contains { name.utf8.starts(with: $0.utf8) }
  }

  /// The name of the transmitter of security events.
  static let transmitterName = "events"

  /// Returns where the keys are: exactly one of `discovery` and `jwks` says it.
  private static func place(_ object: DescribedObject) throws(DescriptionError) -> IssuerSettings.Place {
    let discovers = try object["discovery"]?.bool() ?? false
    guard let keys = object["jwks"] else {
      guard discovers else { throw object.whole.error(#"lacks "discovery": true, or the "jwks" address of its keys"#) }
      return .discovery
    }
    guard !discovers else { throw keys.error(#"has "discovery" too, which finds the keys by itself; leave one out"#) }
    let address = try text(keys, lengthMax: 2_048)
    do throws(EndpointFault) {
      return .keys(try EndpointAddress(address))
    } catch {
      throw keys.error("\(error)")
    }
  }

  private static func algorithms(_ value: Described) throws(DescriptionError) -> AlgorithmSet {
    let all = IssuerSettings.allAlgorithms
    var chosen = AlgorithmSet([])
    for one in try value.elements() {
      let name = try one.text()
      guard let algorithm = JWTAlgorithm(name: name), all.contains(algorithm) else {
        throw one.unknown(name, "algorithm of a published key", among: all.algorithms.map(\.name))
      }
      chosen.formUnion(AlgorithmSet([algorithm]))
    }
    guard !chosen.isEmpty else { throw value.error("expected at least one of \(all)") }
    return chosen
  }

  /// Checks that no user of one issuer has the name of another's. One issuer at most has no prefix.
  private static func checkPrefixes(of issuers: [IssuerSettings], _ list: Described) throws(DescriptionError) {
    let prefixes = issuers.map(\.users.prefix)
    for (index, prefix) in prefixes.enumerated() {
      for other in prefixes[..<index] where prefix.utf8.starts(with: other.utf8) || other.utf8.starts(with: prefix.utf8)
      {
        guard prefix.isEmpty != other.isEmpty else {
          let name = issuers[index].name
          throw list.error(
            prefix.isEmpty
              ? "two issuers without a \"user_prefix\", whose users would share their names; give one to '\(name)'"
              : "the \"user_prefix\" of '\(name)' and that of another issuer begin alike; give it one of its own")
        }
      }
    }
  }

  private static func text(_ value: Described, lengthMax: Int = .max) throws(DescriptionError) -> String {
    let text = try value.text()
    guard (1...lengthMax).contains(text.utf8.count) else { throw value.error("expected 1 to \(lengthMax) bytes") }
    return text
  }

  private static func isLabel(_ text: String) -> Bool {
    (1...nameLengthMax).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
      }
  }
}
