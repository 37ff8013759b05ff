import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewaySendbird

struct SendbirdRepetitionTests {
  /// Returns the messages to a server and two clients, including access tokens, session keys and channel names.
  private func run() throws -> [String] {
    let sendbird = try SimulatedSendbird()
    let ann = sendbird.serve(
      "POST", "/v3/users", #"{"user_id":"ann","nickname":"Ann","profile_url":"","issue_access_token":true}"#)
    let access = try #require(ann.member("access_token"))
    let bob = sendbird.serve("POST", "/v3/users", #"{"user_id":"bob","nickname":"Bob","profile_url":""}"#)
    let channel = sendbird.serve("POST", "/v3/group_channels", #"{"user_ids":["ann","bob"]}"#)
    let url = try #require(channel.member("channel_url"))
    let peers = [
      sendbird.connect(["user_id": "ann"], headers: ["sendbird-ws-token": access]),
      sendbird.connect(["user_id": "bob", "access_token": sendbird.sessionToken("bob")]),
    ]
    sendbird.say(#"MESG{"channel_url":"\#(url)","message":"hello","req_id":"1"}"#, peers[0])
    #expect(peers.allSatisfy { $0.texts.count > 1 }, "\(peers.map(\.texts))")
    return [ann.text, bob.text, channel.text] + peers.flatMap(\.texts)
  }

  @Test
  func `a run in virtual time repeats itself byte for byte, keys and all`() throws {
    let (one, two) = (try run(), try run())
    #expect(one == two)
  }
}
