import GatewayCore
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import TestSupport
import Testing

@testable import GatewaySendbird

/// Two gateways on one store and one bus that change one channel at once.
struct SendbirdNodeTurnTests {
  private static let other = NodeBoot(node: 1, boot: 0)
  private let sendbird: SimulatedSendbird

  init() throws {
    sendbird = try SimulatedSendbird(sharesTurns: true)
    let second = try sendbird.space.second(Self.other)
    let (loop, channel) = (sendbird.world.loops[0].eventLoop, MemoryBus.Channel())
    for (space, life) in [(sendbird.space.space, NodeBoot.first), (second, Self.other)] {
      let bus = MemoryBus(as: life, on: channel) { loop.execute($0) }
      space.join(bus, names: { [.first: "a", Self.other: "b"] }) { _ in }
    }
    for user in ["ann", "bob", "cat"] {
      sendbird.serve("POST", "/v3/users", #"{"user_id":"\#(user)","nickname":"x"}"#)
    }
    start("POST", "/v3/group_channels", #"{"channel_url":"talk","user_ids":["ann","bob","cat"]}"#)
    sendbird.world.run(until: sendbird.world.now + .seconds(1))
  }

  /// Sends a request whose answer is not waited for: a turn takes time.
  private func start(_ method: String, _ path: String, _ body: String) {
    let request = SimulatedSendbird.request(
      method, path, ["api-token": SimulatedSendbird.apiToken], body: body)
    let dialer = SimulatedDialer(sendbird.space.network, on: sendbird.space.clients)
    sendbird.space.clients.stage.start {
      _ = await dialer.fetch(request, from: .gateway, timeout: .seconds(30))
    }
  }

  private func connect(_ user: String, to target: DialTarget) -> SimulatedPeer {
    let query = [HTTPField("ai", "APP"), HTTPField("user_id", user)]
    let peer = SimulatedPeer(
      sendbird.space.network, on: sendbird.space.clients, to: target,
      upgrade: HTTPRequest(method: "GET", path: "/", query: query))
    sendbird.world.settle()
    return peer
  }

  private func numbers(_ peer: SimulatedPeer, _ pattern: Regex<(Substring, Substring)>) -> [Int] {
    peer.commands.filter { $0.hasPrefix("MESG") }.compactMap { text in
      text.firstMatch(of: pattern).flatMap { Int($0.1) }
    }
  }

  @Test(arguments: [nil, .late(.milliseconds(7)), .late(.milliseconds(40))] as [FaultyStore.Fault?])
  func `two gateways that are sent messages of one channel at once tell them in one order, with every count`(
    fault: FaultyStore.Fault?
  ) {
    let senders = [connect("ann", to: .gateway), connect("ann", to: .second)]
    let listeners = [connect("bob", to: .gateway), connect("bob", to: .second), connect("cat", to: .second)]
    sendbird.space.store.fault = fault
    for number in 0..<10 {
      for sender in senders { sender.say("MESG{\"channel_url\":\"talk\",\"message\":\"m\(number)\"}\n") }
    }
    let isHeard = sendbird.world.run(within: .seconds(3_600)) {
      listeners.allSatisfy { numbers($0, #/"msg_id":(\d+)/#).count == 20 }
    }
    #expect(isHeard)
    for listener in listeners {
      let heard = numbers(listener, #/"msg_id":(\d+)/#)
      #expect(heard == heard.sorted() && heard == numbers(listeners[0], #/"msg_id":(\d+)/#))
      #expect(numbers(listener, #/"unread_cnt":\{"all":(\d+)/#) == Array(1...20))
    }
  }
}
