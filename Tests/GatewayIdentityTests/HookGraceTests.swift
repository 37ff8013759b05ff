import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import TestTraits
import Testing

@testable import GatewayIdentity

/// The backend decides whether a session goes on, and its outage ends nobody.
@Suite(.timeLimit(.minutes(2)))
struct HookGraceTests {
  private static let refreshed = #""type":"refreshed""#
  private static let asked = #""type":"refresh_required""#

  @Test
  func `a refresh asks the backend with the end of the session and what it said before`() throws {
    let space = try HookSpace([.connect, .refresh])
    space.backend.say(#"{"result":{"info":[1]}}"#, to: "connect")
    let ann = space.connect(try space.token(), [HTTPField("cookie", "session=1")])
    space.backend.say(#"{"result":{"info":[2]}}"#, to: "refresh")
    #expect(try space.refresh(ann).has(Self.refreshed))
    for member in [#""hook":"refresh""#, #""user":"ann""#, #""meta":[1]"#, #""expires_at":"#] {
      #expect(space.backend.body.has(member), "\(member) in \(space.backend.body)")
    }
    #expect(space.backend.requests.last?.header("cookie") == "session=1")
    #expect(try space.refresh(ann).has(Self.refreshed) && space.backend.body.has(#""meta":[2]"#))
    #expect(space.onGrace == 0)
    // Another user's token is no refresh.
    let count = space.backend.requests.count { $0.path.hasSuffix("refresh") }
    #expect(try space.refresh(ann, "bob").has("401011"))
    #expect(space.backend.requests.count { $0.path.hasSuffix("refresh") } == count)
  }

  /// The rows of the table of answers: what the backend says, the error's number, the close code or 0.
  private static let refusals: [(answer: String, status: Int, error: Int, code: UInt16)] = [
    (#"{"result":{"expired":true}}"#, 200, 401_002, 0), (#"{"error":{"code":7,"message":"no"}}"#, 200, 403_007, 0),
    ("", 401, 403_007, 0), (#"{"disconnect":{"code":4500,"reason":"banned"}}"#, 200, 403_007, 4500),
  ]

  @Test(arguments: refusals.indices)
  func `an answer that does not let a session go on gives the error of its row, and ends it only if it says so`(
    index: Int
  ) throws {
    let (answer, status, error, code) = Self.refusals[index]
    let space = try HookSpace([.refresh])
    let ann = space.connect(try space.token())
    space.backend.answers[""] = { HTTPResponse(status: status, body: Array(answer.utf8)) }
    #expect(IntrospectionSpace.number(try space.refresh(ann)) == error)
    space.pass(10)
    #expect(code == 0 ? ann.isOpen : ann.ending?.code == code, "\(String(describing: ann.ending))")
    #expect(ann.texts.contains { $0.has(Self.asked) } == answer.has("expired"), "\(ann.texts)")
    guard code == 0 else { return }
    // It lives by its old token, and another one may be good.
    space.backend.answers = [:]
    #expect(try space.refresh(ann).has(Self.refreshed))
  }

  /// Everything that is no answer.
  @Test(.long, arguments: ["500", "302", "html", "half", "hang", "empty", "429"])
  func `a backend that gives no answer ends nobody for an hour, and then everybody with 1013 within a minute`(
    mode: String
  ) throws {
    let space = try HookSpace([.connect, .refresh]) { $0.recoverRate = 10 }
    let users = (0..<10).map { "user-\($0)" }
    let peers = try users.map { space.connect(try space.token($0, life: 36_000)) }
    #expect(peers.allSatisfy { $0.texts.first?.has("connected") == true })
    Self.spoil(space.backend, mode)
    let begun = space.inner.world.now
    for (peer, user) in zip(peers, users) { try #expect(space.refresh(peer, user, life: 36_000).has(Self.refreshed)) }
    #expect(space.onGrace == 10)
    let asked = space.backend.requests.count
    space.pass(3_500)
    // Nobody is lost, and no client is asked.
    #expect(peers.allSatisfy { $0.isOpen && !$0.texts.contains { $0.has(Self.asked) } })
    // It is asked once a second at most.
    #expect(space.backend.requests.count - asked < 3_600, "\(space.backend.requests.count - asked)")
    // Nobody new gets in.
    #expect(space.connect(try space.token("eve")).texts.first?.has("503005") == true)
    while peers.contains(where: { $0.isOpen }), space.inner.world.now - begun < .seconds(4_000) { space.pass(1) }
    #expect(peers.allSatisfy { $0.ending?.code == 1013 })
    let ends = peers.compactMap { $0.ending?.at }.map { $0 - begun }
    #expect(ends.allSatisfy { (Duration.seconds(3_600)...Duration.seconds(3_700)).contains($0) }, "\(ends)")
    #expect(Set(ends).count > 5 && space.onGrace == 0)
    #expect(space.logs.all("grace_begun").count == 1)
  }

  private static func spoil(_ backend: VirtualBackend, _ mode: String) {
    backend.answers[""] = {
      switch mode {
      case "html": HTTPResponse(status: 200, contentType: "text/html", text: "<html>no</html>")
      case "half": HTTPResponse(status: 200, contentType: "application/json", text: "{\"result\": {\"us")
      case "empty": HTTPResponse(status: 200)
      default: HTTPResponse(status: Int(mode) ?? 200)
      }
    }
    if mode == "hang" { backend.delay = .seconds(100) }
  }

  @Test
  func `a grace of no end is bounded by the token, and the next token bounds the next`() throws {
    let space = try HookSpace([.refresh]) { $0.graceMax = nil }
    let ann = space.connect(try space.token(life: 300))
    space.backend.say(500)
    #expect(try space.refresh(ann, life: 600).has(Self.refreshed))
    space.pass(580)
    #expect(ann.isOpen && !ann.texts.contains { $0.has(Self.asked) })
    space.pass(25)
    #expect(ann.texts.last?.has(Self.asked) == true, "\(ann.texts)")
    #expect(try space.refresh(ann, life: 20_000).has(Self.refreshed))
    space.pass(19_000)
    #expect(ann.isOpen && space.onGrace == 1)
    space.backend.answers = [:]
    space.pass(60)
    #expect(ann.isOpen && space.onGrace == 0)
  }

  @Test
  func `a session that was refreshed early keeps its old end where that is later than the grace`() throws {
    let space = try HookSpace([.refresh])
    let ann = space.connect(try space.token(life: 5_000))
    space.backend.say(500)
    let answer = try space.refresh(ann, life: 6_000)
    let numbers = answer.utf8.split { !(0x30...0x39).contains($0) }.compactMap { Int(String(Substring($0))) }
    #expect(numbers.max() ?? 0 > 4_900_000, "\(answer)")
  }

  @Test
  func `what the backend says once it is back is done: on, asked, closed`() throws {
    for (answer, isAsked, code) in [
      (#"{"result":{}}"#, false, 0 as UInt16), (#"{"error":{"code":1}}"#, true, 0),
      (#"{"result":{"expired":true}}"#, true, 0),
      (#"{"disconnect":{"code":4999,"reason":"out"}}"#, false, 4999),
    ] {
      let space = try HookSpace([.refresh])
      let ann = space.connect(try space.token())
      space.backend.say(500)
      #expect(try space.refresh(ann).has(Self.refreshed))
      space.pass(60)
      space.backend.say(answer)
      space.pass(40)
      #expect(space.onGrace == 0, "\(answer)")
      #expect(ann.texts.contains { $0.has(Self.asked) } == isAsked, "\(answer) \(ann.texts)")
      #expect(code == 0 ? ann.isOpen : ann.ending?.code == code, "\(answer)")
      if answer.has("{}") {
        // It lives to the end of its token again.
        let count = space.backend.requests.count
        space.pass(400)
        #expect(ann.isOpen && space.backend.requests.count == count)
      }
    }
  }

  @Test
  func `a thousand sessions on grace meet a backend that is back at the promised rate, and none is lost`() throws {
    let space = try HookSpace([.refresh]) { $0.recoverRate = 20 }
    let count = 1_000
    let peers = try (0..<count).map { space.begin(try space.token("user-\($0)", life: 7_200)) }
    space.pass(2)
    space.backend.say(503)
    for (index, peer) in peers.enumerated() {
      peer.say("{\"type\":\"refresh\",\"token\":\"\(try space.token("user-\(index)", life: 7_300))\"}")
    }
    space.pass(5)
    #expect(space.onGrace == count)
    space.pass(180)
    #expect(peers.allSatisfy { $0.isOpen } && space.onGrace == count)
    space.backend.answers = [:]
    let back = space.inner.world.now
    space.pass(120)
    #expect(space.onGrace == 0 && peers.allSatisfy { $0.isOpen && !$0.texts.contains { $0.has(Self.asked) } })
    var bySecond: [Int: Int] = [:]
    for time in space.backend.times where time > back { bySecond[Int((time - back).inSeconds), default: 0] += 1 }
    #expect(bySecond.values.max() ?? 0 <= 22, "\(bySecond)")
    #expect(bySecond.values.reduce(0, +) >= count)
    // A session that leaves is forgotten.
    for peer in peers { peer.close() }
    space.pass(5)
    let left = space.backend.requests.count
    space.pass(8_000)
    #expect(space.backend.requests.count == left)
  }

  @Test
  func `by the gateway a session goes on for as long as the backend says, and its client is never asked`() throws {
    let space = try HookSpace([.refresh]) { $0.refresher = .gateway }
    let clock = space.inner.world.loops[0].eventLoop
    space.backend.answers[""] = {
      VirtualBackend.json("{\"result\":{\"expire_at\":\(Int(clock.wallTime.seconds) + 300)}}")
    }
    let ann = space.connect(try space.token(life: 120))
    space.pass(108)
    #expect(space.backend.requests.isEmpty)
    space.pass(3)
    #expect(space.backend.requests.count == 1)
    space.pass(6_000)
    #expect(ann.isOpen && ann.texts.count == 1, "\(ann.texts)")
    #expect((18...24).contains(space.backend.requests.count), "\(space.backend.requests.count)")
    // The backend is away for ten minutes: nobody notices.
    space.backend.say(500)
    space.pass(600)
    #expect(ann.isOpen && ann.texts.count == 1 && space.onGrace == 1)
    space.backend.answers[""] = {
      VirtualBackend.json("{\"result\":{\"expire_at\":\(Int(clock.wallTime.seconds) + 300)}}")
    }
    space.pass(60)
    #expect(space.onGrace == 0 && ann.texts.count == 1)
    space.backend.say(#"{"result":{"expired":true}}"#)
    space.pass(300)
    #expect(ann.texts.contains { $0.has(Self.asked) })
  }

  @Test
  func `by the gateway a backend that says no end leaves the session its token's, and the client is asked then`() throws
  {
    let space = try HookSpace([.refresh]) { $0.refresher = .gateway }
    let ann = space.connect(try space.token(life: 120))
    space.pass(118)
    #expect(space.backend.requests.count == 1 && ann.texts.count == 1)
    space.pass(4)
    #expect(ann.texts.last?.has(Self.asked) == true && space.backend.requests.count < 5)
    #expect(try space.refresh(ann, life: 120).has(Self.refreshed))
    space.pass(118)
    #expect(ann.isOpen)
  }

  @Test
  func `a backend that judges alone has its sessions go on by the gateway's questions`() throws {
    let space = try HookSpace([.connect, .refresh]) {
      $0.judge = .instead
      $0.refresher = .gateway
    }
    let clock = space.inner.world.loops[0].eventLoop
    let answer = {
      let end = Int(clock.wallTime.seconds) + 100
      return VirtualBackend.json("{\"result\":{\"user\":\"cara\",\"expire_at\":\(end)}}")
    }
    space.backend.answers[""] = answer
    let cara = space.connect(nil, [HTTPField("cookie", "session=1")])
    space.pass(1_000)
    #expect(cara.isOpen && cara.texts.count == 1, "\(cara.texts)")
    #expect(space.backend.requests.last?.header("cookie") == "session=1" && space.backend.body.has(#""user":"cara""#))
    space.backend.say(500)
    space.pass(1_000)
    #expect(cara.isOpen && cara.texts.count == 1)
    space.backend.answers[""] = answer
    space.pass(60)
    space.backend.say(#"{"disconnect":{"code":4444,"reason":"signed out"}}"#)
    space.pass(100)
    #expect(cara.ending?.code == 4444)
  }
}
