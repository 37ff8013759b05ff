import Foundation
import GatewayCore
import GatewayFleet
import GatewayPlain
import GatewayWires
import Synchronization
import TestSupport
import Testing

struct WireStormTests {
  static func wire(_ name: String) throws -> DescribedClientDialect {
    let bytes = Array(try Data(contentsOf: WireDescriptionTests.folder.appending(path: "\(name).json")))
    return DescribedClientDialect(
      try WireDescription(try DescriptionFile.parse(bytes, file: "\(name).json")), provider: PlainClientDialect())
  }

  @Test(arguments: [1, 7] as [UInt64])
  func `a storm of a described wire has the figures of the built-in dialect that it describes`(seed: UInt64) throws {
    var storm = try VirtualStorm()
    storm.plan.behaviours = try BehaviourMix(parsing: "well-behaved=80,slow=8,forgetful=5,stale=4,garbage=2,refused=1")
    let plain = try storm.run(seed: seed).result
    storm.dialect = try Self.wire("postern-plain")
    let described = try storm.run(seed: seed).result
    #expect(plain.refreshes.accepted > 150)
    #expect(described.connects == plain.connects)
    #expect(described.refreshes == plain.refreshes)
    #expect(described.provider == plain.provider)
    #expect(described.disconnects.total == plain.disconnects.total)
    #expect(described.errors["unmatched"] == 0)
    for (behaviour, tally) in plain.behaviours {
      let other = try #require(described.behaviours[behaviour])
      #expect(other.kept == tally.kept, "\(behaviour)")
      #expect(other.lostExpectedly == tally.lostExpectedly, "\(behaviour)")
      #expect(other.lostUnexpectedly == tally.lostUnexpectedly, "\(behaviour)")
      #expect(other.refreshLatency == tally.refreshLatency, "\(behaviour)")
    }
  }
}

struct DescribedClientTests {
  @Test
  func `a described client keeps its token out of the names in reports, even if the gateway repeats it`() throws {
    let text = """
      { "wire": 1, "name": "x", "connect": { "path": "/" }, "at_open": { "is": "logged_in" },
        "hear": [{ "when": { "prefix": "ERR " }, "is": "error", "label": "text" }] }
      """
    let wire = try WireDescription(try DescriptionFile.parse(Array(text.utf8), file: "x.json"))
    let client = ClientIdentity(user: UserID("ann"), token: Credentials(token: "s3cr3t"))
    let dialect = DescribedClientDialect(wire, provider: PlainClientDialect())
    var notices: [ServerNotice?] = []
    Array("ERR bad s3cr3t".utf8).withUnsafeBytes { bytes in
      dialect.hear(bytes, .text, by: { (.live, client) }, dialect.memory(of: client)) { notices.append($0) }
    }
    #expect(notices == [.remark(name: "ERR_bad_token")])
  }

  @Test(arguments: ["{{token}}", "{{token:base64}}", "{{token:base64url}}", "{{token:url}}", "{{secret.key:base64}}"])
  func `a trial of a wire shows neither token nor secret, whatever their form in a template`(hole: String) throws {
    let text = """
      { "wire": 1, "name": "x", "connect": { "path": "/{{token}}/in" }, "refresh": { "how": "none" },
        "say": { "login": { "json": { "a": "\(hole)" } } }, "at_open": { "say": "login" },
        "hear": [{ "when": { "prefix": "OK" }, "is": "logged_in" }] }
      """
    let secret = "q7/zw\"x+ä"
    let wire = try WireDescription(try DescriptionFile.parse(Array(text.utf8), file: "x.json"))
    let client = ClientIdentity(user: UserID("ann"), token: Credentials(token: secret))
    let seen = Mutex<[String]>([])
    let dialect = DescribedClientDialect(wire, provider: PlainClientDialect(), secrets: ["key": secret])
      .watched { sight in seen.withLock { $0.append("\(sight)") } }
    _ = dialect.upgrade(of: client, dialect.memory(of: client))
    _ = dialect.frames(.connect(Credentials(token: secret)), of: client, dialect.memory(of: client))
    let long = "OK " + String(repeating: "x", count: 1990) + secret
    Array(long.utf8).withUnsafeBytes { bytes in
      dialect.hear(bytes, .text, by: { (.loggingIn, client) }, dialect.memory(of: client)) { _ in }
    }
    let shown = seen.withLock { $0 }
    #expect(shown.count == 3 && shown[0].contains("/<token>/in") && shown[1].contains("<"))
    for form in [secret, "q7", "zw", "cTcv"] { #expect(shown.allSatisfy { !$0.contains(form) }, "\(form)") }
  }
}
