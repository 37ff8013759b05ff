import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

struct CommandLaneTests {
  private let runner = ErrandRunner()
  private let gateway: SimulatedGateway

  init() throws {
    let runner = runner
    gateway = try SimulatedGateway { judge, _ in
      DialectBinding(ErrandDialect(), judge, commands: runner, observer: runner)
    }
  }

  /// Sends all messages at once, so that they arrive in one segment.
  private func say(_ peer: SimulatedPeer, _ texts: String...) {
    for text in texts { peer.say(text) }
    gateway.world.settle()
  }

  private func wait(_ milliseconds: Int) {
    gateway.world.advance(by: .milliseconds(milliseconds))
  }

  /// Returns the messages since the login, each by its `done` or its type.
  private func heard(_ peer: SimulatedPeer) -> [String] {
    peer.texts.dropFirst().map { text in
      guard text.hasPrefix("{") else { return text }
      return text.firstMatch(of: #/"(?:name|type)":"(\w+)"[^{]*$/#).map { String($0.1) } ?? text
    }
  }

  @Test
  func `commands of a connection begin in the order of their arrival, each after the answer to the one before`() {
    let peer = gateway.connect(gateway.token())
    say(peer, "do a 300", "do b 200", "do c 0")
    #expect(runner.diary == ["ann begins a"])
    wait(299)
    #expect(runner.diary == ["ann begins a"])
    wait(1)
    #expect(runner.diary.suffix(2) == ["ann ends a", "ann begins b"] && heard(peer) == ["done a"])
    wait(200)
    #expect(heard(peer) == ["done a", "done b", "done c"])
    say(peer, "do d 0")
    #expect(heard(peer).last == "done d")
  }

  @Test
  func `commands that may overlap begin in order, and later commands do not wait for their answers`() {
    let peer = gateway.connect(gateway.token())
    say(peer, "do a 100", "pass b 300", "pass c 200", "do d 50", "do e 0")
    #expect(runner.diary == ["ann begins a"])
    wait(100)
    #expect(runner.diary == ["ann begins a", "ann ends a", "ann begins b", "ann begins c", "ann begins d"])
    wait(300)
    #expect(heard(peer) == ["done a", "done d", "done e", "done c", "done b"])
  }

  @Test
  func `commands of another connection of the same user do not wait`() {
    let peers = (0..<2).map { _ in gateway.connect(gateway.token()) }
    say(peers[0], "do a 1000")
    say(peers[1], "do b 0")
    #expect(heard(peers[1]) == ["done b"])
  }

  @Test
  func `a connection has at most 64 commands under way or waiting, and a ping never waits`() {
    let peer = gateway.connect(gateway.token())
    for number in 1...64 { peer.say("\(number == 1 ? "do" : "pass") \(number) 100") }
    say(peer, "do 65 0", #"{"type":"ping"}"#)
    #expect(heard(peer) == ["too_many", "pong"])
    wait(200)
    #expect(heard(peer).count == 66 && runner.diary.count == 128)
    say(peer, "do 66 0")
    #expect(heard(peer).last == "done 66")
  }

  @Test
  func `commands run before the joins and leaves that were requested after them`() {
    let peer = gateway.connect(gateway.token())
    say(peer, "do a 100", #"{"type":"join","cid":"default:x"}"#, "do b 0", #"{"type":"leave","cid":"default:x"}"#)
    #expect(heard(peer) == [])
    wait(100)
    #expect(heard(peer) == ["done a", "joined", "done b", "left"])
  }

  /// Announces a word to ann's connections, as news of that connection's action if there is one.
  private func announce(_ word: String, of speaker: ConnectionID? = nil) {
    gateway.gateway.announce(
      Announcement(
        to: .users([UserID("ann")]), except: speaker, [DialectFrame("errands", Frame(.text, Array(word.utf8)))]))
    gateway.world.settle()
  }

  @Test
  func `answers come behind earlier events and ahead of later ones, as for other members`() throws {
    let (peer, other) = (gateway.connect(gateway.token()), gateway.connect(gateway.token()))
    let ids = try #require(gateway.order { await $0.sessions(of: UserID("ann"), after: nil, limit: 2).map(\.id) })
    say(peer, "do a 100", "pass p 0")
    announce("before")
    announce("news", of: ids[0])
    announce("after")
    say(peer, "pass q 0")
    announce("much later")
    #expect(heard(peer) == ["before"] && heard(other) == ["before", "news", "after", "much later"])
    wait(100)
    #expect(heard(peer).filter { $0 != "done p" && $0 != "done q" } == ["before", "done a", "after", "much later"])
    announce("at last")
    #expect(heard(peer).last == "at last")
    // If no command is in progress, nothing waits.
    announce("none", of: ids[0])
    announce("one")
    #expect(heard(peer).last == "one" && !heard(peer).contains("none"))
  }

  @Test
  func `commands hold back nothing of a later login`() throws {
    let peer = gateway.connect(gateway.token())
    let ids = try #require(gateway.order { await $0.sessions(of: UserID("ann"), after: nil, limit: 1).map(\.id) })
    say(peer, "do a 1000")
    announce("news", of: ids[0])
    announce("lost with the login")
    #expect(gateway.order { try? await $0.control(UserID("ann"), .received(.logout(request: nil))) } == 1)
    let again = gateway.token().token
    say(peer, #"{"type":"connect","token":"\#(again)"}"#)
    wait(5000)
    say(peer, #"{"type":"connect","token":"\#(again)"}"#)
    #expect(!heard(peer).contains("lost with the login"))
    announce("heard too")
    #expect(heard(peer).last == "heard too")
  }

  @Test
  func `at most a thousand frames are held back, and then all are sent`() throws {
    let peer = gateway.connect(gateway.token())
    let ids = try #require(gateway.order { await $0.sessions(of: UserID("ann"), after: nil, limit: 1).map(\.id) })
    say(peer, "do a 1000")
    announce("news", of: ids[0])
    for number in 0..<1_200 { announce("\(number)") }
    let first = (0..<1_200).map { "\($0)" }
    #expect(heard(peer) == first)
    wait(1000)
    #expect(heard(peer) == first + ["done a"])
  }

  @Test
  func `commands run before the logout behind them, and later ones belong to the next user`() {
    let peer = gateway.connect(gateway.token())
    let next = gateway.token("bob").token
    say(peer, "do a 100", "do b 100", "out", "do c 0", #"{"type":"connect","token":"\#(next)"}"#, "do d 0")
    #expect(runner.diary == ["ann begins a"])
    wait(300)
    let expected = [
      "ann begins a", "ann ends a", "ann begins b", "ann ends b", "ann is gone", "bob begins d", "bob ends d",
    ]
    #expect(runner.diary == expected)
    #expect(heard(peer) == ["done a", "done b", "connection_required", "connected", "done d"])
  }

  @Test
  func `commands run although the client closed behind them, and its end is announced afterwards`() {
    let peer = gateway.connect(gateway.token())
    say(peer, "do a 100", "do b 100")
    peer.close()
    wait(1000)
    #expect(runner.diary == ["ann begins a", "ann ends a", "ann begins b", "ann ends b", "ann is gone"])
    #expect(heard(peer) == [] && gateway.connectionCount == 0)
  }

  @Test
  func `commands of an ended login are not answered, even if the same user has logged in again`() {
    let peer = gateway.connect(gateway.token())
    say(peer, "do a 1000", "do b 1000")
    #expect(gateway.order { try? await $0.control(UserID("ann"), .received(.logout(request: nil))) } == 1)
    let again = gateway.token().token
    say(peer, #"{"type":"connect","token":"\#(again)"}"#)
    wait(5000)
    say(peer, #"{"type":"connect","token":"\#(again)"}"#, "do c 0")
    #expect(runner.diary.filter { $0.hasSuffix("is gone") }.count == 1)
    #expect(!heard(peer).contains("done a") && !heard(peer).contains("done b") && heard(peer).last == "done c")
    #expect(runner.diary.contains("ann ends b"), "it was said in time, and is done")
  }
}
