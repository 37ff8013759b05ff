import GatewayCore
import GatewayJSON
import GatewaySimulator
import TestSupport
import Testing

@Suite(.onNodes)
struct SendbirdPollTests {
  private let sendbird: SimulatedSendbird
  private let ann: SimulatedPeer
  private let bob: SimulatedPeer
  private let eve: SimulatedPeer

  init() throws {
    sendbird = try SimulatedSendbird()
    for user in ["ann", "bob", "eve"] { sendbird.serve("POST", "/v3/users", #"{"user_id":"\#(user)"}"#) }
    sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"talk","user_ids":["ann","bob"]}"#)
    (ann, bob) = (sendbird.connect(["user_id": "ann"]), sendbird.connect(["user_id": "bob"]))
    eve = sendbird.connect(["user_id": "eve"])
    let made = ask(
      ann, "POST", "/v3/polls", #"{"title":"Lunch?","options":[{"text":"yes"},"no"],"data":{"text":"d"},"close_at":-1}"#
    )
    #expect(made.member("id") == "1" && made.member("status") == "open" && made.member("close_at") == "-1")
  }

  @discardableResult
  private func ask(_ peer: SimulatedPeer, _ method: String, _ target: String, _ body: String = "") -> HTTPResponse {
    sendbird.fetch(method, target, ["session-key": peer.sessionKey], body: body)
  }

  private func send() {
    sendbird.say(#"MESG{"channel_url":"talk","message":"vote","poll_id":1,"req_id":"1"}"#, ann)
  }

  @Test
  func `a poll is sent once, in a message, by its creator`() {
    sendbird.say(#"MESG{"channel_url":"talk","message":"vote","poll_id":1,"req_id":"1"}"#, bob)
    #expect(bob.last("code", of: "EROR") == "400201")
    #expect(ask(bob, "GET", "/v3/polls/1").code == 400_108)
    send()
    #expect(bob.last("poll", of: "MESG")?.contains(#""title":"Lunch?""#) == true)
    let sent = bob.last("msg_id", of: "MESG")
    // The number of the refused message is not used again.
    #expect(sent == "2" || TestPlace.ofScenes == .cluster)
    #expect(sent != nil && ask(bob, "GET", "/v3/polls/1").member("message_id") == sent)
    #expect(ask(bob, "GET", "/v3/polls?channel_url=talk").member("polls")?.contains("Lunch") == true)
    send()
    #expect(ann.last("code", of: "EROR") == "400201")
    for target in ["/v3/polls/1", "/v3/polls?channel_url=talk", "/v3/polls/1/options/1/voters"] {
      #expect(ask(eve, "GET", target).code == 400_108)
    }
    #expect(ask(ann, "GET", "/v3/polls").code == 400_105 && ask(ann, "GET", "/v3/polls/9").code == 400_201)
    #expect(ask(ann, "POST", "/v3/polls", #"{"title":"x","options":[]}"#).code == 400_105)
    #expect(ask(ann, "POST", "/v3/polls", #"{"title":"x","options":[7]}"#).code == 400_100)
  }

  @Test
  func `a poll is voted on over the socket and over HTTP, and all members are told the counts`() {
    send()
    sendbird.say(#"VOTE{"channel_url":"talk","channel_type":"group","poll_id":1,"option_ids":[1],"req_id":"2"}"#, bob)
    for peer in [ann, bob] {
      #expect(
        peer.last("updated_vote_counts", of: "VOTE")
          == #"[{"option_id":1,"vote_count":1},{"option_id":2,"vote_count":0}]"#)
    }
    #expect(bob.last("req_id", of: "VOTE") == "2" && ann.last("message_id", of: "VOTE") == "1")
    let voted = ask(ann, "PUT", "/v3/polls/1/vote", #"{"option_ids":[2],"channel_url":"talk"}"#)
    #expect(voted.member("voter_count") == "2" && voted.member("voted_option_ids") == "[2]")
    // Each user has one vote: a new one replaces the earlier one.
    #expect(ask(ann, "PUT", "/v3/polls/1/vote", #"{"option_ids":[1]}"#).member("voter_count") == "2")
    #expect(ask(bob, "GET", "/v3/polls/1/options/1/voters").member("vote_count") == "2")
    #expect(ask(bob, "GET", "/v3/polls/1/options/2").member("vote_count") == "0")
    let list = ask(bob, "GET", "/v3/group_channels/talk/messages?message_ts=1900000000000").member("messages")
    #expect(list?.contains(#""voted_option_ids":[1]"#) == true)
    #expect(ask(ann, "PUT", "/v3/polls/1/vote", #"{"option_ids":[1,2]}"#).code == 400_203)
    #expect(ask(ann, "PUT", "/v3/polls/1/vote", #"{"option_ids":[7]}"#).code == 400_201)
    #expect(ask(ann, "PUT", "/v3/polls/1/vote", "{}").code == 400_105)
    #expect(ask(eve, "PUT", "/v3/polls/1/vote", #"{"option_ids":[1]}"#).code == 400_108)
    sendbird.say(#"VOTE{"channel_url":"talk","poll_id":1,"option_ids":[1],"req_id":"3"}"#, eve)
    #expect(eve.last("code", of: "EROR") == "900020")
    sendbird.say(#"VOTE{"channel_url":"other","poll_id":1,"option_ids":[1],"req_id":"4"}"#, bob)
    #expect(bob.last("code", of: "EROR") == "400201")
  }

  @Test
  func `a poll is changed by its creator, announced with the change, and closed`() {
    send()
    #expect(ask(bob, "PUT", "/v3/polls/1", #"{"title":"x"}"#).code == 400_108)
    #expect(ask(bob, "POST", "/v3/polls/1/options", #"{"text":"x"}"#).code == 400_108)
    #expect(ask(ann, "PUT", "/v3/polls/1", #"{"title":"Dinner?","allow_user_suggestion":true}"#).code == 0)
    #expect(bob.last("poll", of: "PEDI")?.contains(#""title":"Dinner?""#) == true)
    #expect(ask(bob, "POST", "/v3/polls/1/options", #"{"text":"maybe"}"#).member("options")?.contains("maybe") == true)
    #expect(ask(ann, "PUT", "/v3/polls/1/options/3", #"{"text":"perhaps"}"#).code == 0)
    #expect(
      ask(ann, "DELETE", "/v3/polls/1/options/2").code == 0
        && ask(ann, "DELETE", "/v3/polls/1/options/2").code == 400_201)
    let shown = ask(bob, "GET", "/v3/group_channels/talk/messages/1").member("poll")
    #expect(shown?.contains("perhaps") == true && shown?.contains(#""text":"no""#) == false)
    sendbird.world.advance(by: .seconds(1))
    #expect(ask(ann, "PUT", "/v3/polls/1/close").member("status") == "closed")
    #expect(ask(ann, "PUT", "/v3/polls/1/vote", #"{"option_ids":[1]}"#).code == 400_920)
    let target = "/v3/group_channels/talk/polls/changelogs?change_ts=1800000001000"
    #expect(ask(bob, "GET", target).member("updated")?.contains(#""status":"closed""#) == true)
    #expect(ask(ann, "DELETE", "/v3/polls/1").code == 0)
    #expect(ask(bob, "GET", target).member("deleted") == "[1]" && ask(bob, "GET", "/v3/polls/1").code == 400_201)
    #expect(ask(bob, "GET", "/v3/group_channels/talk/polls/changelogs").code == 400_105)
    #expect(ask(bob, "GET", "/v3/group_channels/talk/polls/changelogs?token=x").code == 400_111)
  }

  @Test
  func `a poll closes by itself at its time`() {
    ask(ann, "PUT", "/v3/polls/1", #"{"close_at":1800000005000}"#)
    send()
    sendbird.world.advance(by: .seconds(5))
    #expect(ask(bob, "GET", "/v3/polls/1").member("status") == "closed")
    #expect(ask(bob, "PUT", "/v3/polls/1/vote", #"{"option_ids":[1]}"#).code == 400_920)
  }
}
