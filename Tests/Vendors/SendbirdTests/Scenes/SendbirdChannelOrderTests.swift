import GatewayCore
import GatewaySimulator
import TestSupport
import TestTraits
import Testing

@Suite(.onNodes)
struct SendbirdChannelOrderTests {
  private func ids(_ peer: SimulatedPeer) -> [Int] {
    peer.commands.filter { $0.hasPrefix("MESG") }.compactMap {
      $0.firstMatch(of: #/"msg_id":(\d+)/#).flatMap { Int($0.1) }
    }
  }

  private func unread(_ peer: SimulatedPeer) -> [Int] {
    peer.commands.filter { $0.hasPrefix("MESG") }.compactMap {
      $0.firstMatch(of: #/"unread_cnt":\{"all":(\d+)/#).flatMap { Int($0.1) }
    }
  }

  @Test(.long, arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64], [nil, 7] as [Int?])
  func `messages on several loops are received by all in the order of the numbers, however late the store is`(
    seed: UInt64, milliseconds: Int?
  ) throws {
    let sendbird = try SimulatedSendbird(loops: 4, seed: seed)
    let names = (0..<6).map { "u\($0)" }
    for user in names + ["deaf"] {
      sendbird.serve("POST", "/v3/users", #"{"user_id":"\#(user)","nickname":"x"}"#)
    }
    let users = (names + ["deaf"]).map { "\"\($0)\"" }.joined(separator: ",")
    sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"talk","user_ids":[\#(users)]}"#)
    let peers = names.map { sendbird.connect(["user_id": $0]) }
    let silent = sendbird.connect(["user_id": "deaf"])
    sendbird.space.store.fault = milliseconds.map { .late(.milliseconds($0)) }
    for round in 0..<5 {
      for (number, peer) in peers.enumerated() {
        peer.say("MESG{\"channel_url\":\"talk\",\"message\":\"\(number)\",\"req_id\":\"r\(round)\"}\n")
        if round == 2 { peer.say("READ{\"channel_url\":\"talk\",\"req_id\":\"s\"}\n") }
      }
      sendbird.world.advance(by: .milliseconds(Int(seed)))
    }
    sendbird.world.advance(by: .seconds(20))
    let numbers = ids(silent)
    #expect(numbers.count == 30 && numbers == Set(numbers).sorted())
    #expect(numbers == Array(1...30) || TestPlace.ofScenes == .cluster)
    #expect(unread(silent) == Array(1...30))
    // A sender receives their own message as the answer, at its position among the others.
    for (number, peer) in peers.enumerated() {
      #expect(ids(peer) == numbers, "\(number)")
      #expect(peer.commands.count { $0.hasPrefix("MESG") && $0.contains("\"req_id\"") } == 5, "\(number)")
    }
  }
}
