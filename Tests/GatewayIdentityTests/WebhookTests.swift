import GatewayControl
import GatewayCore
import GatewayKit
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import TestSupport
import TestTraits
import Testing

@testable import GatewayIdentity

/// Webhooks reach the hosts that the operator allows, in order and as often as their vendor sends them.
@Suite(.timeLimit(.minutes(2)))
struct WebhookTests {
  private static let rule = WebhookRule(
    timeout: .seconds(6), whole: .seconds(15), attemptsMax: 3, networkAttemptsMax: 2, repeated: .overload)

  @Test func `webhooks about one thing arrive in order, and about two things side by side`() throws {
    let space = try WebhookSpace()
    space.backend.delay = .seconds(1)
    space.post(0..<6, about: { $0 < 3 ? "a" : "b" }, Self.rule)
    #expect(space.settle() && space.bodies.count == 6)
    #expect(space.bodies.filter { "012".contains($0) } == ["0", "1", "2"])
    #expect(space.bodies.filter { "345".contains($0) } == ["3", "4", "5"])
    let times = space.backend.times
    #expect(times[5] - times[0] < .seconds(3), "both keys at once")
    #expect(space.sender.counted(.delivered) == 6)
  }

  @Test(arguments: [408, 429, 500, 503])
  func `an overloaded backend gets a webhook three times, with the number of the attempt`(status: Int) throws {
    let space = try WebhookSpace()
    space.backend.say(status)
    space.post(0..<1, Self.rule)
    #expect(space.settle() && space.seen == ["0/1", "0/2", "0/3"])
    #expect(space.sender.counted(.repeated) == 2 && space.sender.counted(.failed) == 1)
    let line = try #require(space.logs.all("webhook_failed").first)
    #expect(line.fields.map(\.name) == ["vendor", "host", "error", "attempts", "webhooks"])
  }

  @Test(arguments: [301, 302, 400, 404, 410])
  func `another refusal ends a webhook, and a redirect is not followed`(status: Int) throws {
    let space = try WebhookSpace()
    space.backend.answers[""] = {
      HTTPResponse(status: status, headers: [HTTPField("location", "https://other.example/hook")])
    }
    space.post(0..<1, Self.rule)
    #expect(space.settle() && space.seen == ["0/1"] && space.other.requests.isEmpty)
    #expect(space.sender.counted(.failed) == 1)
  }

  @Test func `the next webhook waits until the one before is delivered or given up`() throws {
    let space = try WebhookSpace()
    var answers = [503, 503, 200, 503, 503, 503, 200]
    space.backend.answers[""] = { HTTPResponse(status: answers.removeFirst()) }
    space.post(0..<3, Self.rule)
    #expect(space.settle() && space.seen == ["0/1", "0/2", "0/3", "1/1", "1/2", "1/3", "2/1"])
  }

  @Test func `a backend that does not answer gets three attempts within 15 seconds`() throws {
    let space = try WebhookSpace()
    space.backend.delay = .seconds(3_600)
    let begun = space.inner.world.now
    space.post(0..<1, Self.rule)
    #expect(space.settle() && space.seen == ["0/1", "0/2", "0/3"])
    #expect(space.inner.world.now - begun <= .seconds(16))
  }

  @Test func `a backend that is down gets two attempts, and others are not kept waiting`() throws {
    let space = try WebhookSpace()
    space.post(0..<1, to: "https://down.example/hook", Self.rule)
    space.post(1..<3, Self.rule)
    #expect(space.settle() && space.bodies == ["1", "2"])
    #expect(space.sender.counted(.repeated) == 1 && space.sender.counted(.failed) == 1)
  }

  @Test(arguments: [
    "https://other.example/hook", "https://app.example:444/hook", "https://app.example.other.example/hook",
    "http://127.0.0.1/hook", "https://127.0.0.1:9000/hook", "http://[::1]:9000/", "http://localhost:9000/",
    "https://app.example@other.example/", "https://user:hush@app.example/", "http://app.example/hook", "gopher://x/",
    "https://app.example/#x", "", "nonsense",
  ])
  func `a host that is not allowed is never asked, and is logged once`(url: String) throws {
    let space = try WebhookSpace()
    space.post(0..<20, to: url, Self.rule)
    space.post(20..<21, Self.rule)
    #expect(space.settle() && space.bodies == ["20"] && space.other.requests.isEmpty)
    #expect(space.sender.counted(.notAllowed) == 20)
    #expect(space.logs.all("webhook_not_allowed").count == 1)
    #expect(!space.logs.all("webhook_not_allowed").contains { $0.fields.contains { $0.value.has("hush") } })
  }

  @Test func `servers on this machine are asked if the gateway is on loopback`() throws {
    let space = try WebhookSpace(allowsLoopback: true)
    space.post(0..<1, to: "http://127.0.0.1:9000/hook", Self.rule)
    space.post(1..<2, to: "https://other.example/hook", Self.rule)
    #expect(space.settle() && space.other.requests.map(\.path) == ["/hook"])
    #expect(space.sender.counted(.notAllowed) == 1)
  }

  @Test(.long) func `a full queue drops the oldest, counts them, and logs once a minute`() throws {
    let space = try WebhookSpace()
    space.backend.delay = .seconds(5)
    space.post(0..<10_050, Self.rule)
    // One of them may be in flight.
    let dropped = Int(space.sender.counted(.dropped))
    #expect((49...50).contains(dropped))
    #expect(space.logs.all("webhooks_dropped").count == 1)
    space.backend.delay = .zero
    #expect(space.settle() && space.bodies.last == "10049" && space.bodies.count == 10_050 - dropped)
    #expect(space.sender.counted(.delivered) == UInt64(10_050 - dropped))
  }

  @Test func `the end waits a moment, then counts what was not sent`() throws {
    let space = try WebhookSpace()
    space.backend.delay = .seconds(2)
    space.post(0..<5, Self.rule)
    let left = space.inner.world.ask { [sender = space.sender] in await sender.finish(within: .seconds(3)) }
    #expect(left == 4 && space.sender.counted(.unsent) == 4 && space.bodies == ["0", "1"])
    #expect(space.logs.all("webhooks_unsent").count == 1)
    space.post(5..<6, Self.rule)
    space.inner.world.advance(by: .seconds(60))
    #expect(!space.bodies.contains("5") && space.sender.counted(.unsent) == 5)
  }

  @Test func `the end comes at once if nothing is under way`() throws {
    let space = try WebhookSpace()
    space.post(0..<5, Self.rule)
    #expect(space.settle())
    let begun = space.inner.world.now
    let left = space.inner.world.ask { [sender = space.sender] in await sender.finish(within: .seconds(3)) }
    #expect(left == 0 && space.inner.world.now == begun)
  }

  @Test func `the journal has each attempt with endpoint, status and duration, and nothing of the content`() throws {
    let space = try WebhookSpace(keepsJournal: true)
    var answers = [503, 204]
    space.backend.answers[""] = { HTTPResponse(status: answers.removeFirst(), body: Array("marked".utf8)) }
    space.backend.delay = .milliseconds(250)
    space.post(7_777..<7_778, Self.rule)
    #expect(space.settle())
    let gateway = space.inner.space.gateway
    let page = try #require(space.inner.world.ask { await gateway.journal(Journal.Query(limit: .max)) } ?? nil)
    let lines = page.lines.filter { $0.event.kind == .webhookSent }.map { JournalText.text($0) }
    try #require(lines.count == 2, "\(lines)")
    for (line, status) in zip(lines, [503, 204]) {
      #expect(line.has(#""kind":"webhook_sent""#) && line.has(#""endpoint":"webhook_vendor""#), "\(line)")
      #expect(line.has("\"status\":\(status)") && line.has(#""after_ms":25"#), "\(line)")
      #expect(line.has(#""failure":"refused""#) == (status == 503), "\(line)")
      #expect(!line.has("7777") && !line.has("marked") && !line.has("app.example"), "\(line)")
    }
  }

  @Test func `every series of a vendor is there before its first webhook`() throws {
    let space = try WebhookSpace()
    space.sender.open("vendor") { rows, _ in rows.map { _ in nil } }
    var page = PrometheusText()
    WebhookSender.write(space.sender, to: &page)
    for result in ["delivered", "repeated", "failed", "dropped", "not_allowed", "unsent"] {
      #expect(page.text.has("postern_webhooks_total{vendor=\"vendor\",result=\"\(result)\"} 0\n"), "\(page.text)")
    }
  }

  @Test func `a gateway that sends no webhooks has no sender`() throws {
    let space = try HookSpace([.connect])
    #expect(space.inner.space.webhooks == nil)
  }
}
