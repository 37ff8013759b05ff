import GatewayCore
import GatewaySimulator
import GatewaySpace
import TestSupport
import Testing

@testable import GatewaySendbird

/// Two gateways on one store.
struct SendbirdNodeTests {
  private let sendbird: SimulatedSendbird
  private static let other = NodeBoot(node: 1, boot: 0)

  init() throws {
    sendbird = try SimulatedSendbird()
  }

  @Test
  func `a second gateway of Sendbird starts without a write, and a session key of the first is good there`() throws {
    let key = sendbird.connect(["user_id": "ann"]).sessionKey
    let commits = sendbird.space.store.commitCount
    for boot in 0..<3 { _ = try sendbird.space.second(NodeBoot(node: 1, boot: boot)) }
    #expect(sendbird.space.store.commitCount == commits)
    let request = HTTPRequest(
      method: "GET", path: "/v3/users/ann/my_group_channels", headers: [HTTPField("session-key", key)])
    #expect(try sendbird.space.fetch(request, from: .second)?.get().status == 200)
  }

  @Test
  func
    `an announcement that another gateway is sending is neither sent twice nor cut short, and ends with that gateway`()
    throws
  {
    let (store, now) = (sendbird.space.store, sendbird.world.wallTime)
    let theirs = SendbirdAnnouncements(store, life: Self.other)
    let announcement = SendbirdAnnouncement(
      "news", group: "g", kind: .admin, sender: nil, text: "news", data: "", customType: "", target: .channels,
      list: ["talk"], makesChannels: false, at: now, createdAt: now)
    let isBegun = sendbird.world.ask { () async -> Bool in
      guard (try? await theirs.add(announcement, at: now)) != nil else { return false }
      return (try? await theirs.begin("news", at: now)) != nil
    }
    #expect(isBegun == true)
    let status = {
      sendbird.world.ask { (try? await theirs.announcement("news", at: now))??.status } ?? nil
    }
    let second = try sendbird.space.second(NodeBoot(node: 2, boot: 0))
    let own = sendbird.world.ask { () async -> Bool in
      (try? await SendbirdAnnouncements(store, life: .first).begin("news", at: now)) == .some(.none)
    }
    #expect(own == true && status() == .running)
    let take = { (dead: DeadBoots) in sendbird.world.ask { (try? await second.takeOver(dead)) != nil } }
    #expect(take(DeadBoots(before: [NodeBoot.first.next, Self.other])) == true && status() == .running)
    #expect(take(DeadBoots(before: [Self.other.next])) == true && status() == .done)
  }

  @Test
  func
    `a message waits for two trips to the store, has its sender's present name, and is refused if that is deactivated`()
  {
    let store = sendbird.space.store
    sendbird.serve("POST", "/v3/users", #"{"user_id":"ann","nickname":"Ann"}"#)
    sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"talk","user_ids":["ann"]}"#)
    let ann = sendbird.connect(["user_id": "ann"])
    func say(_ id: String) { sendbird.say(#"MESG{"channel_url":"talk","message":"hi","req_id":"\#(id)"}"#, ann) }
    say("first")
    sendbird.change("ann") { $0.nickname = "Anna" }
    let before = store.requestCount
    say("second")
    #expect(store.requestCount - before == 3, "one to read, one to commit, and a scan for no row, which makes no trip")
    #expect(ann.last("req_id", of: "MESG") == "second" && ann.last("user", of: "MESG")?.contains("Anna") == true)
    sendbird.change("ann") { $0.isActive = false }
    say("third")
    #expect(ann.last("req_id", of: "EROR") == "third" && ann.last("code", of: "EROR") == "900021")
    #expect(ann.last("req_id", of: "MESG") == "second")
  }
}
