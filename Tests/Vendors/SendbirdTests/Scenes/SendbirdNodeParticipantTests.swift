import GatewayCore
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import TestSupport
import TestTraits
import Testing

@testable import GatewaySendbird

/// Open channels whose participants are connected to two gateways of one store and one bus.
struct SendbirdNodeParticipantTests {
  private let sendbird: SimulatedSendbird
  private let second: Space
  /// At the first gateway.
  private let ann: SimulatedPeer
  /// At the second gateway.
  private let bob: SimulatedPeer

  init() throws {
    (sendbird, ann, bob, second) = try TestPlace.$ofScenes.withValue(.cluster) {
      let sendbird = try SimulatedSendbird()
      for user in ["ann", "bob", "eve"] { sendbird.serve("POST", "/v3/users", #"{"user_id":"\#(user)"}"#) }
      for url in ["hall", "yard"] { sendbird.serve("POST", "/v3/open_channels", #"{"channel_url":"\#(url)"}"#) }
      let peers = ["ann", "bob"].map { sendbird.connect(["user_id": $0]) }
      return (sendbird, peers[0], peers[1], try #require(sendbird.space.spread.second))
    }
    for peer in [ann, bob] { sendbird.say(#"ENTR{"channel_url":"hall","req_id":"1"}"#, peer) }
  }

  /// Returns what both gateways say about the channel.
  private func both(_ member: String, _ path: String) -> [String?] {
    (0..<2).map { _ in sendbird.serve("GET", "/v3/open_channels/" + path).member(member) }
  }

  private func counts(_ url: String = "hall") -> [String?] { both("participant_count", url) }

  private func users(_ url: String = "hall") -> [[String]] {
    both("participants", url + "/participants").map { list in
      (list ?? "").split(separator: "\"user_id\":\"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
    }
  }

  private func take(over dead: DeadBoots, by space: Space) -> Bool {
    let outcome = sendbird.world.ask { (try? await space.takeOver(dead)) != nil }
    sendbird.world.settle()
    return outcome == true
  }

  @Test
  func `both gateways count and list the participants of an open channel alike, and each hears of those of the other`()
  {
    #expect(bob.last("participant_count", of: "ENTR") == "2" && ann.last("participant_count", of: "ENTR") == "1")
    #expect(ann.last("cat", of: "SYEV") == "10102")
    #expect(counts() == ["2", "2"] && users() == [["ann", "bob"], ["ann", "bob"]])
    sendbird.say(#"MESG{"channel_url":"hall","message":"hi","req_id":"2"}"#, bob)
    #expect(ann.last("message", of: "MESG") == "hi")
    sendbird.say(#"EXIT{"channel_url":"hall","req_id":"3"}"#, ann)
    #expect(ann.last("participant_count", of: "EXIT") == "1" && bob.last("cat", of: "SYEV") == "10103")
    #expect(counts() == ["1", "1"] && users() == [["bob"], ["bob"]])
    sendbird.say(#"MESG{"channel_url":"hall","message":"still?","req_id":"4"}"#, ann)
    #expect(ann.last("code", of: "EROR") == "900020")
  }

  @Test
  func `a user with connections to both gateways sends by either, and leaves with the last one`() {
    // By turns: this one is at the first gateway.
    let other = sendbird.connect(["user_id": "bob"])
    #expect(other.last("user_id", of: "LOGI") == "bob")
    sendbird.say(#"ENTR{"channel_url":"hall","req_id":"1"}"#, other)
    #expect(other.last("participant_count", of: "ENTR") == "2" && counts() == ["2", "2"])
    bob.close()
    sendbird.world.settle()
    #expect(counts() == ["2", "2"] && ann.last("cat", of: "SYEV") == "10102")
    sendbird.say(#"MESG{"channel_url":"hall","message":"here","req_id":"2"}"#, other)
    #expect(ann.last("message", of: "MESG") == "here")
    other.abort()
    sendbird.world.settle()
    #expect(counts() == ["1", "1"] && ann.last("cat", of: "SYEV") == "10103")
  }

  @Test(.long)
  func `a ban and the deletion of a channel remove participants of both gateways, who may then enter as many others`() {
    sendbird.serve("POST", "/v3/open_channels/hall/ban", #"{"user_id":"bob","seconds":-1}"#)
    #expect(counts() == ["1", "1"] && users() == [["ann"], ["ann"]])
    sendbird.say(#"ENTR{"channel_url":"hall","req_id":"2"}"#, bob)
    #expect(bob.last("req_id", of: "EROR") == "2")
    for round in 0..<150 {
      sendbird.serve("POST", "/v3/open_channels", #"{"channel_url":"c\#(round)"}"#)
      sendbird.say(#"ENTR{"channel_url":"c\#(round)","req_id":"e\#(round)"}"#, bob)
      #expect(bob.last("req_id", of: "ENTR") == "e\(round)")
      sendbird.serve("DELETE", "/v3/open_channels/c\(round)")
    }
    for round in 0..<101 {
      sendbird.serve("POST", "/v3/open_channels", #"{"channel_url":"d\#(round)"}"#)
      sendbird.say(#"ENTR{"channel_url":"d\#(round)","req_id":"d\#(round)"}"#, bob)
    }
    #expect(bob.last("req_id", of: "ENTR") == "d99" && bob.last("req_id", of: "EROR") == "d100")
  }

  @Test
  func `participants of a gateway that is dead are removed by the other, which tells those who stay`() {
    let both = sendbird.connect(["user_id": "bob"])
    sendbird.say(#"ENTR{"channel_url":"yard","req_id":"2"}"#, both)
    for peer in [ann, bob] { sendbird.say(#"ENTR{"channel_url":"yard","req_id":"3"}"#, peer) }
    #expect(counts("yard") == ["2", "2"])
    let heard = ann.commands.count
    // Bob's connection to the other gateway stays in the yard.
    #expect(take(over: DeadBoots(before: [NodeBoot.first, NodeBoot(node: 1, boot: 0)]), by: sendbird.space.space))
    #expect(counts() == ["2", "2"] && ann.commands.count == heard, "nobody is dead")
    #expect(take(over: DeadBoots(before: [NodeBoot(node: 1, boot: 1)]), by: sendbird.space.space))
    #expect(counts() == ["1", "1"] && users() == [["ann"], ["ann"]])
    #expect(users("yard") == [["ann", "bob"], ["ann", "bob"]])
    let news = ann.commands.dropFirst(heard)
    #expect(news.count == 1 && ann.last("cat", of: "SYEV") == "10103" && ann.last("channel_url", of: "SYEV") == "hall")
    #expect(ann.last("data", of: "SYEV")?.contains(#""participant_count":1"#) == true)
    // The same again, as after a failure in between.
    #expect(take(over: DeadBoots(before: [NodeBoot(node: 1, boot: 1)]), by: sendbird.space.space))
    #expect(ann.commands.count == heard + 1)
  }

  @Test(arguments: [FaultyStore.Fault.away, .lostAnswer, .lossy, .conflict, .late(.milliseconds(300))])
  func `participants whose connections end while the store fails are gone soon after`(fault: FaultyStore.Fault) {
    sendbird.space.store.fault = fault
    bob.abort()
    sendbird.world.advance(by: .seconds(10))
    sendbird.space.store.fault = nil
    sendbird.world.advance(by: .seconds(20))
    #expect(counts() == ["1", "1"] && users() == [["ann"], ["ann"]])
  }

  @Test
  func `users who enter and leave by both gateways at once are counted right`() {
    sendbird.space.store.fault = .late(.milliseconds(3))
    let peers = TestPlace.$ofScenes.withValue(.cluster) {
      (0..<20).map { sendbird.connect(["user_id": "u\($0 % 10)"]) }
    }
    sendbird.world.advance(by: .seconds(5))
    for peer in peers { peer.say("ENTR{\"channel_url\":\"yard\",\"req_id\":\"e\"}\n") }
    sendbird.world.advance(by: .seconds(9))
    sendbird.space.store.fault = nil
    #expect(counts("yard") == ["10", "10"], "\(peers.map { $0.commands.suffix(1) })")
    for peer in peers.prefix(10) { peer.abort() }
    for peer in peers.suffix(5) { peer.say("EXIT{\"channel_url\":\"yard\",\"req_id\":\"x\"}\n") }
    sendbird.world.advance(by: .seconds(3))
    #expect(counts("yard") == ["5", "5"])
    #expect(users("yard") == Array(repeating: (0..<5).map { "u\($0)" }, count: 2))
  }
}
