import GatewaySimulator
import TestSupport
import Testing

@Suite(.onNodes)
struct SendbirdOrderTests {
  /// Sends everything at once, like a client that does not wait.
  private func say(_ commands: [String], _ peer: SimulatedPeer, _ sendbird: SimulatedSendbird) {
    for command in commands { peer.say(command + "\n") }
    sendbird.world.settle()
  }

  private func requests(_ peer: SimulatedPeer) -> [String] {
    peer.commands.compactMap { $0.firstMatch(of: #/"req_id":"(\w+)"/#).map { String($0.1) } }
  }

  private func texts(_ peer: SimulatedPeer) -> [String] {
    peer.commands.filter { $0.hasPrefix("MESG") }.compactMap {
      $0.firstMatch(of: #/"message":"(\w+)"/#).map { String($0.1) }
    }
  }

  @Test(arguments: [1, 2])
  func `messages in one segment keep their order, both a reply that needs its parent and a plain one`(loops: Int) throws
  {
    let sendbird = try SimulatedSendbird(loops: loops)
    for user in ["ann", "bob"] { sendbird.serve("POST", "/v3/users", #"{"user_id":"\#(user)","nickname":"x"}"#) }
    sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"talk","user_ids":["ann","bob"]}"#)
    let (ann, bob) = (sendbird.connect(["user_id": "ann"]), sendbird.connect(["user_id": "bob"]))
    sendbird.say(#"MESG{"channel_url":"talk","message":"parent","req_id":"p"}"#, ann)
    let commands = (0..<20).map { number in
      let parent = number.isMultiple(of: 2) ? #","parent_message_id":1"# : ""
      return #"MESG{"channel_url":"talk","message":"m\#(number)","req_id":"r\#(number)"\#(parent)}"#
    }
    say(commands, ann, sendbird)
    #expect(requests(ann).filter { $0 != "p" } == (0..<20).map { "r\($0)" })
    #expect(texts(bob) == ["parent"] + (0..<20).map { "m\($0)" })
  }

  @Test(arguments: [1, 2])
  func `messages in one segment reach an open channel that is entered before and left after them, with typing or not`(
    loops: Int
  ) throws {
    let sendbird = try SimulatedSendbird(loops: loops)
    for user in ["ann", "bob"] { sendbird.serve("POST", "/v3/users", #"{"user_id":"\#(user)","nickname":"x"}"#) }
    sendbird.serve("POST", "/v3/open_channels", #"{"channel_url":"hall"}"#)
    let (ann, bob) = (sendbird.connect(["user_id": "ann"]), sendbird.connect(["user_id": "bob"]))
    sendbird.say(#"ENTR{"channel_url":"hall","req_id":"e"}"#, bob)
    for round in 0..<3 {
      say(
        [
          #"ENTR{"channel_url":"hall","req_id":"a\#(round)"}"#,
          #"MESG{"channel_url":"hall","message":"m\#(round)","req_id":"b\#(round)"}"#,
          #"TPST{"channel_url":"hall"}"#,
          #"MESG{"channel_url":"hall","message":"n\#(round)","req_id":"c\#(round)"}"#,
          #"EXIT{"channel_url":"hall","req_id":"d\#(round)"}"#,
        ], ann, sendbird)
    }
    #expect(requests(ann) == (0..<3).flatMap { round in ["a", "b", "c", "d"].map { "\($0)\(round)" } })
    #expect(texts(bob) == (0..<3).flatMap { ["m\($0)", "n\($0)"] })
    #expect(ann.commands.allSatisfy { !$0.hasPrefix("EROR") })
  }

  @Test(arguments: [1, 2])
  func `messages in one segment keep their order although the client disconnects at once`(loops: Int) throws {
    let sendbird = try SimulatedSendbird(loops: loops)
    for user in ["ann", "bob"] { sendbird.serve("POST", "/v3/users", #"{"user_id":"\#(user)","nickname":"x"}"#) }
    sendbird.serve("POST", "/v3/open_channels", #"{"channel_url":"hall"}"#)
    let (ann, bob) = (sendbird.connect(["user_id": "ann"]), sendbird.connect(["user_id": "bob"]))
    for peer in [ann, bob] { sendbird.say(#"ENTR{"channel_url":"hall","req_id":"e"}"#, peer) }
    for text in ["one", "two"] {
      ann.say("MESG{\"channel_url\":\"hall\",\"message\":\"\(text)\"}\n")
    }
    ann.close()
    sendbird.world.settle()
    #expect(texts(bob) == ["one", "two"])
    #expect(bob.last("cat", of: "SYEV") == "10103", "and then it is out of the channel")
  }
}
