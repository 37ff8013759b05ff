import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

struct SendbirdHomeTests {
  /// Ten members of one channel with a connection each, on alternating loops, and the loop of each connection.
  private struct Talk {
    let sendbird: SimulatedSendbird
    private(set) var members: [(peer: SimulatedPeer, loop: Int)] = []

    init(loops: Int) throws {
      sendbird = try SimulatedSendbird(loops: loops)
      let names = (0..<10).map { "member\($0)" }
      for name in names { sendbird.serve("POST", "/v3/users", #"{"user_id":"\#(name)","nickname":"x"}"#) }
      let list = names.map { "\"\($0)\"" }.joined(separator: ",")
      sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"talk","user_ids":[\#(list)]}"#)
      let gateway = sendbird.gateway
      for name in names {
        let peer = sendbird.connect(["user_id": name])
        let sessions = sendbird.world.ask { await gateway.sessions(of: UserID(name), after: nil, limit: 1) }
        members.append((peer, try #require(sessions?.first).id.loop))
      }
      // The first message of a process reads who is in all channels.
      say("first", members[0].peer)
    }

    func say(_ text: String, _ peer: SimulatedPeer) {
      sendbird.say(#"MESG{"channel_url":"talk","message":"\#(text)","req_id":"\#(text)"}"#, peer)
    }

    func hearers(of text: String) -> Int {
      members.count { $0.peer.commands.contains { $0.hasPrefix("MESG") && $0.contains(#""message":"\#(text)""#) } }
    }
  }

  @Test(arguments: [1, 2, 4])
  func `a message is queued once if its speaker is on the loop of the data, else there and back too`(loops: Int) throws
  {
    let talk = try Talk(loops: loops)
    for loop in 0..<loops {
      let speaker = try #require(talk.members.first { $0.loop == loop }).peer
      let count = talk.sendbird.space.jobs { talk.say("from\(loop)", speaker) }
      // A task that starts at once is queued on its own loop with its first `await`.
      #expect(count == (loop == 0 ? 1 : 3))
      #expect(talk.hearers(of: "from\(loop)") == 10)
    }
  }

  @Test(arguments: [1, 2, 4])
  func `a message by the platform API is queued four times at most`(loops: Int) throws {
    let talk = try Talk(loops: loops)
    for number in 0..<loops {
      let body = #"{"message_type":"MESG","user_id":"member0","message":"http\#(number)"}"#
      let count = talk.sendbird.space.jobs {
        let answer = talk.sendbird.serve("POST", "/v3/group_channels/talk/messages", body)
        #expect(answer.status == 200)
      }
      #expect(count <= 4)
      #expect(talk.hearers(of: "http\(number)") == 10)
    }
  }
}
