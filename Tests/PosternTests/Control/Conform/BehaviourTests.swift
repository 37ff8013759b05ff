import Foundation
import GatewayCore
import GatewayKit
import GatewayWires
import Testing

@testable import postern

struct BehaviourTests {
  @Test
  func `each behaviour has a unique name, a sentence, and an expectation`() {
    let names = Behaviour.all.map(\.name)
    #expect(Set(names).count == names.count)
    for behaviour in Behaviour.all {
      #expect(behaviour.name.wholeMatch(of: #/[a-z0-9]+(-[a-z0-9]+)*/#) != nil)
      #expect(!behaviour.covers.isEmpty && behaviour.covers.allSatisfy { $0.wholeMatch(of: #/[A-Z]\d+/#) != nil })
      #expect(behaviour.sentence.hasSuffix(".") && !behaviour.expected.isEmpty, "\(behaviour.name)")
      #expect(behaviour.patience < behaviour.bound && behaviour.bound <= .seconds(300), "\(behaviour.name)")
    }
  }

  @Test
  func `--only takes several behaviours, separated by commas, and no empty name`() throws {
    func named(_ texts: String...) throws -> [String] {
      try ConformOptions.behaviours(texts.map { Arguments.Value(text: $0, source: "--only") }).map(\.name)
    }
    #expect(
      try named("restart,refresh-at-expiry", "half-open").sorted() == ["half-open", "refresh-at-expiry", "restart"])
    #expect(try named().count == Behaviour.all.count)
    for text in ["", ",", "restart,", "restart, half-open", "none"] {
      #expect(throws: UsageError.self) { try named(text) }
    }
  }

  /// The ids of the table of behaviours.
  private static func ids() throws -> [String] {
    let folder = #filePath.split(separator: "/").dropLast(5).joined(separator: "/")
    let page = try String(contentsOfFile: "/\(folder)/Docs/behaviours.md", encoding: .utf8)
    return page.matches(of: #/(?m)^\| ([A-Z][0-9]+) \|/#).map { String($0.1) }
  }

  @Test
  func `each id of the table of behaviours is covered by a behaviour of conform, or has a reason why not`() throws {
    let ids = try Self.ids()
    #expect(ids.count > 80)
    let tried = Set(Behaviour.all.flatMap(\.covers))
    let others = NotTried.groups.flatMap(\.ids)
    for id in ids {
      #expect(
        tried.contains(id) != others.contains(id),
        "\(id) of Docs/behaviours.md belongs into `covers` of a behaviour in Conform, or into NotTried.swift")
    }
    #expect(tried.union(others) == Set(ids) && Set(others).count == others.count)
  }

  @Test
  func `each setting of a behaviour is an option of postern serve`() throws {
    let known = Set(ServeCommand.flags.map(\.name))
    for behaviour in Behaviour.all {
      #expect(behaviour.settings.allSatisfy { known.contains($0.name) }, "\(behaviour.name)")
    }
  }

  @Test(
    arguments: [
      ([.passed, .passed], .passed), ([.passed, .undecided], .undecided), ([.undecided, .failed, .passed], .failed),
      ([.notApplicable, .passed], .passed), ([.notApplicable], .notApplicable),
      ([.notApplicable, .undecided], .undecided),
    ] as [([ConformResult.Verdict], ConformResult.Verdict)])
  func `several verdicts are merged into one`(verdicts: [ConformResult.Verdict], whole: ConformResult.Verdict) {
    #expect(ConformResult.whole(verdicts) == whole)
  }

  @Test
  func `a behaviour that a wire cannot express is not applicable there, and is elsewhere`() throws {
    let names = ["refresh-after-revocation", "keys-withdrawn", "closed-for-good", "closed-by-policy"]
    let poor = try #require(Vendors.all.first { !$0.clients.lacks.isEmpty })
    let (lacking, plain) = (ConformWire(poor), ConformWire(Vendors.all[0]))
    for behaviour in Behaviour.all {
      #expect((behaviour.reasonAgainst(lacking, .asked) != nil) == names.contains(behaviour.name), "\(behaviour.name)")
      #expect(behaviour.reasonAgainst(plain, .asked) == nil, "\(behaviour.name)")
    }
    #expect(Vendors.all.filter { !$0.clients.lacks.isEmpty }.map { $0.clients.lacks.count } == [2])
  }

  @Test
  func `a renewal is tried on wires whose clients return with another token`() {
    let names = [
      "refresh-at-expiry", "refresh-all-day", "refresh-after-revocation", "same-token", "short-life", "keys-withdrawn",
      "provider-busy",
    ]
    let wire = ConformWire(Vendors.all[0])
    for behaviour in Behaviour.all where names.contains(behaviour.name) {
      #expect(behaviour.reasonAgainst(wire, .reconnect) == nil, "\(behaviour.name)")
      let demands = behaviour.demands(.reconnect).map(\.name)
      #expect(!demands.contains("refreshed_in_time") && !demands.contains("keeps_connection"), "\(behaviour.name)")
    }
    #expect(Behaviour.replyLost.reasonAgainst(wire, .reconnect) != nil)
  }

  /// A wire with that `refresh` and `ends`.
  private static func wire(_ refresh: String, ends: String = "[]") throws -> ConformWire {
    let text = """
      { "wire": 1, "name": "acme", "connect": { "path": "/acme" }, "at_open": { "say": "login" },
        "say": { "login": { "json": { "token": "{{token}}" } }, "renew": { "json": { "fresh": "{{token}}" } } },
        "hear": [{ "when": { "json": { "/in": true } }, "is": "logged_in", "take": { "life_s": "/life" },
                   "as": { "json": { "in": true, "life": "{{life_s:number}}" } } },
                 { "when": { "json": { "/done": true } }, "is": "refreshed", "as": { "json": { "done": true } } },
                 { "when": { "json": { "/ask": true } }, "is": "ask", "as": { "json": { "ask": true } } }],
        "ends": \(ends), "refresh": { \(refresh) }, "serve": { "closes": { "refused": 4403, "refresh_refused": 4403 } } }
      """
    return ConformWire(
      try WireDescription(try DescriptionFile.parse(Array(text.utf8), file: "acme.json")), settings: [])
  }

  private static let ends = #"[{ "code": "4400-4499", "then": "give_up" }, { "http": 403, "then": "give_up" }]"#

  @Test(arguments: [
    ("2s", 10), ("20%", 10), ("100%", 160), ("99d", 3_600),
  ])
  func `the first token of a client with a timer ends eight seconds and the lead after its mint`(
    lead: String, seconds: Int
  ) throws {
    #expect(try Self.wire(#""how": "timer", "lead": "\#(lead)", "say": "renew""#).shortLife == .seconds(seconds))
  }

  @Test
  func `on a wire with a timer renewals are waited for, and what only a request shows is not applicable`() throws {
    let wire = try Self.wire(#""how": "timer", "lead": "2s", "say": "renew""#)
    let how = wire.how(asks: true)
    #expect(how == .timer && wire.grace > .zero)
    for name in ["refresh-at-expiry", "refresh-all-day", "same-token", "expired-token", "provider-busy", "restart"] {
      #expect(Behaviour.all.first { $0.name == name }?.reasonAgainst(wire, how) == nil, "\(name)")
    }
    for behaviour in [Behaviour.refreshAtLead, .requestTwice, .lastTick, .refreshAfterRevocation, .returnBand] {
      #expect(behaviour.reasonAgainst(wire, how) != nil, "\(behaviour.name)")
    }
    #expect(Behaviour.refreshAtExpiry.patience(how, grace: .seconds(60)) == .seconds(70))
  }

  @Test
  func `a behaviour about an end is tried only if that end has this meaning on the wire`() throws {
    let (silent, clear) = (
      try Self.wire(#""how": "reconnect""#), try Self.wire(#""how": "reconnect""#, ends: Self.ends)
    )
    for behaviour in [Behaviour.closedForGood, .forbidden] {
      #expect(behaviour.reasonAgainst(silent, .reconnect) != nil, "\(behaviour.name)")
      #expect(behaviour.reasonAgainst(clear, .reconnect) == nil, "\(behaviour.name)")
    }
    #expect(clear.finalCode(4500, elsewhere: 1000) == 4400 && !clear.comesBack(from: 4400))
    #expect(Behaviour.malformedToken.reasonAgainst(silent, .reconnect) == nil)
    #expect(Behaviour.malformedToken.reasonAgainst(clear, .reconnect)?.contains("for good") == true)
    #expect(Behaviour.expiredToken.reasonAgainst(clear, .reconnect) == nil)
    #expect(Behaviour.closedByPolicy.reasonAgainst(clear, .reconnect)?.contains("1008 means retry") == true)
  }

  @Test
  func `the time that a thread waits for the processor is read from Linux's own count`() {
    #expect(ProcessDelay.waitingTime("139866398 227337372 357\n") == 227_337_372)
    #expect(ProcessDelay.waitingTime("") == nil && ProcessDelay.waitingTime("a b") == nil)
    #expect(ProcessDelay.isStopped("17 (a) b) T 1 2") && !ProcessDelay.isStopped("17 (T) S 1 2"))
    #expect(!ProcessDelay.isStopped("") && !ProcessDelay.isStopped("17 (a)"))
  }

  private static func result(_ verdict: ConformResult.Verdict, output: String = "") -> ConformResult {
    ConformResult(
      behaviour: .refreshAtExpiry, verdict: verdict, sentences: ["it is \(verdict.words)"], lines: ["7  0.5 s  closed"],
      output: output, duration: .milliseconds(1_500))
  }

  @Test
  func `a conformance report has a row for each behaviour, and the story of each failure`() {
    let text = ConformReport(results: [Self.result(.passed), Self.result(.failed, output: "oh\nno")]).text
    #expect(text.contains("refresh-at-expiry  E2 E10  passed   1500 ms"))
    #expect(text.contains("  it is failed\n    7  0.5 s  closed\n  | oh\n  | no"))
    #expect(text.hasSuffix("1 passed, 1 failed, 0 undecided, 0 not applicable"))
    #expect(!text.contains("it is passed"))
  }

  @Test
  func `JUnit's XML counts the behaviours, and holds whatever a client prints`() {
    let results = [Self.result(.passed), Self.result(.failed, output: "<&\"\u{1b}[2J\u{0}>"), Self.result(.undecided)]
    let text = JUnitReport(dialect: "plain", results: results).text
    #expect(text.contains(#"tests="3" failures="1" errors="0" skipped="1" time="4.5""#))
    #expect(text.contains("&lt;&amp;&quot;\u{fffd}[2J\u{fffd}&gt;") && !text.contains("\u{1b}"))
    #expect(text.contains(#"<skipped message="undecided: it is undecided"/>"#))
  }
}
