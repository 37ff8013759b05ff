import GatewayControl
import GatewayCore
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import TestSupport
import Testing

@testable import GatewayIdentity

/// The journal says what the backend was asked and answered, and the trace of an upgrade goes on with its question.
@Suite(.timeLimit(.minutes(2)))
struct HookJournalTests {
  private static let trace = "0af7651916cd43dd8448eb211c80319c"
  private static let parent = "00-\(trace)-b7ad6b7169203331-01"

  /// The lines of the kinds, as texts.
  private func lines(of space: HookSpace, _ kinds: Set<JournalKind>) throws -> [String] {
    let gateway = space.inner.space.gateway
    let page = try #require(space.inner.world.ask { await gateway.journal(Journal.Query(limit: .max)) } ?? nil)
    return page.lines.filter { kinds.contains($0.event.kind) }.map { JournalText.text($0) }
  }

  @Test
  func `each question has a line with its endpoint and trace, and its answer one with result and duration`() throws {
    let space = try HookSpace([.connect, .refresh, .commands], takesFaults: true)
    space.backend.delay = .milliseconds(250)
    space.backend.say(#"{"result":{"info":"a marked secret","data":{"a":"a marked secret"}}}"#, to: "connect")
    let fields = [HTTPField("traceparent", Self.parent), HTTPField("cookie", "a marked secret")]
    let token = try space.token()
    let ann = space.connect(token, fields)
    _ = try space.refresh(ann)
    _ = space.ask(ann, #"{"type":"join","cid":"default:42"}"#)
    let told = try lines(of: space, [.outboundAsked, .outboundAnswered])
    try #require(told.count == 6, "\(told)")
    for (index, endpoint) in ["hook_connect", "hook_refresh", "hook_commands"].enumerated() {
      let (asked, answered) = (told[2 * index], told[2 * index + 1])
      #expect(asked.has(#""kind":"outbound_asked""#) && asked.has("\"endpoint\":\"\(endpoint)\""), "\(asked)")
      #expect(answered.has(#""kind":"outbound_answered""#) && answered.has(#""result":"accepted""#), "\(answered)")
      #expect(answered.has(#""after_ms":25"#) && !answered.has("failure"), "\(answered)")
      for line in [asked, answered] {
        #expect(line.has(#""user":"ann""#) && line.has(#""connection":"conn_0_1""#), "\(line)")
        #expect(line.has(#""dialect":"plain""#) && line.has("\"endpoint\":\"\(endpoint)\""), "\(line)")
        // Only the login belongs to the upgrade.
        #expect(line.has("\"trace_id\":\"\(Self.trace)\"") == (index == 0), "\(line)")
        for secret in [token, "eyJ", "a marked secret", HookSpace.bearer, HookSpace.secret] {
          #expect(!line.has(secret), "\(line)")
        }
      }
    }
  }

  @Test(arguments: [
    ("500", "refused"), ("malformed", "malformed"), ("other", "malformed"), ("hang", "timed_out"),
  ])
  func `an answer of no use has the result unjudged and the reason`(mode: String, failure: String) throws {
    let space = try HookSpace([.connect], takesFaults: true)
    switch mode {
    case "500": space.backend.say(500)
    case "malformed": space.backend.say("{")
    case "other": space.backend.say(#"{"result":{"user":"bob"}}"#)
    default: space.backend.delay = .seconds(100)
    }
    _ = space.connect(try space.token())
    space.pass(10)
    let told = try lines(of: space, [.outboundAnswered])
    #expect(told.count == 1 && told[0].has(#""result":"unjudged""#), "\(told)")
    #expect(told.first?.has("\"failure\":\"\(failure)\"") == true && told.first?.has("bob") == false, "\(told)")
  }

  @Test
  func `a question that the breaker holds back has the failure not_asked`() throws {
    let space = try HookSpace([.connect], takesFaults: true)
    space.backend.say(500)
    for _ in 0..<6 { _ = space.connect(try space.token()) }
    let told = try lines(of: space, [.outboundAnswered])
    #expect(told.count == 6 && told.last?.has(#""failure":"not_asked""#) == true, "\(told)")
  }

  @Test
  func `a session that goes on without an answer has one line grace_given, until it has been decided on`() throws {
    let space = try HookSpace([.refresh], takesFaults: true)
    let ann = space.connect(try space.token(life: 36_000))
    space.backend.say(500)
    for _ in 0..<3 { _ = try space.refresh(ann, life: 36_000) }
    space.pass(300)
    let given = try lines(of: space, [.graceGiven])
    #expect(given.count == 1 && given[0].has(#""user":"ann""#) && given[0].has(#""connection":"conn_0_1""#), "\(given)")
    space.backend.answers = [:]
    space.pass(300)
    #expect(space.onGrace == 0)
    space.backend.say(500)
    _ = try space.refresh(ann, life: 36_000)
    #expect(try lines(of: space, [.graceGiven]).count == 2)
  }

  @Test
  func `the trace of an upgrade goes on with the question about the login alone, whether it is sampled or not`() throws
  {
    for flags in ["00", "01"] {
      let space = try HookSpace([.connect, .refresh])
      let parent = "00-\(Self.trace)-b7ad6b7169203331-\(flags)"
      let state = [HTTPField("tracestate", "congo=t61rcWkgMzE, ,rojo=00f067"), HTTPField("tracestate", "a@b=c")]
      let ann = space.connect(try space.token(), [HTTPField("traceparent", parent)] + state)
      _ = try space.refresh(ann)
      try #require(space.backend.requests.count == 2)
      let (connect, refresh) = (space.backend.requests[0], space.backend.requests[1])
      #expect(connect.header("traceparent") == parent)
      #expect(
        connect.headers.filter { $0.name == "tracestate" }.map(\.value) == ["congo=t61rcWkgMzE,rojo=00f067,a@b=c"])
      #expect(refresh.header("traceparent") == nil && refresh.header("tracestate") == nil)
    }
  }

  @Test
  func `an upgrade without a trace leaves it to the backend whether it begins one`() throws {
    let space = try HookSpace([.connect])
    _ = space.connect(try space.token(), [HTTPField("tracestate", "congo=1")])
    let request = try #require(space.backend.requests.first)
    #expect(!request.headers.contains { $0.name == "traceparent" || $0.name == "tracestate" })
  }
}
