import GatewayCore
import GatewayKit
import GatewaySimulator
import TestSupport
import TestTraits
import Testing

@testable import GatewaySendbird

@Suite(.onNodes)
struct SendbirdScheduleTests {
  private typealias F = ChannelFixture

  private let sendbird: SimulatedSendbird
  private let ann: SimulatedPeer
  private let bob: SimulatedPeer
  private static let target = "/v3/group_channels/talk/scheduled_messages"

  init() throws {
    sendbird = try SimulatedSendbird()
    for user in ["ann", "bob"] { sendbird.serve("POST", "/v3/users", #"{"user_id":"\#(user)"}"#) }
    sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"talk","user_ids":["ann","bob"]}"#)
    (ann, bob) = (sendbird.connect(["user_id": "ann"]), sendbird.connect(["user_id": "bob"]))
  }

  @discardableResult
  private func ask(_ method: String, _ target: String, _ body: String = "", _ peer: SimulatedPeer? = nil)
    -> HTTPResponse
  {
    sendbird.fetch(method, target, ["session-key": (peer ?? ann).sessionKey], body: body)
  }

  private func schedule(_ text: String, after seconds: Int) -> HTTPResponse {
    let time = 1_800_000_000_000 + seconds * 1_000
    return ask("POST", Self.target, #"{"message_type":"MESG","message":"\#(text)","scheduled_at":\#(time)}"#)
  }

  @Test
  func `scheduled messages are sent at their time, in its order, and not before`() {
    let late = schedule("late", after: 20)
    #expect(late.member("scheduled_status") == "pending")
    let id = late.member("scheduled_message_id") ?? ""
    #expect(Int(id) != nil && schedule("early", after: 10).member("scheduled_message_id").map { $0 != id } == true)
    sendbird.world.advance(by: .seconds(9))
    #expect(bob.last("message", of: "MESG") == nil)
    sendbird.world.advance(by: .seconds(2))
    #expect(bob.last("message", of: "MESG") == "early" && bob.last("ts", of: "MESG") == "1800000010000")
    sendbird.world.advance(by: .seconds(10))
    #expect(bob.last("message", of: "MESG") == "late" && ann.last("message", of: "MESG") == "late")
    #expect(ask("GET", Self.target + "/\(id)").member("scheduled_status") == "sent")
    #expect(ask("GET", "/v3/scheduled_messages/count?status=pending").member("count") == "0")
    #expect(ask("DELETE", Self.target + "/\(id)").code == 400_201)
  }

  @Test
  func `scheduled messages are shown, changed, cancelled and sent at once by their sender alone`() {
    let ids = [("a", 30), ("b", 20), ("c", 10)].map { text, time in
      schedule(text, after: time).member("scheduled_message_id") ?? ""
    }
    #expect(Set(ids.compactMap { Int($0) }).count == 3)
    let (a, b, c) = (Self.target + "/" + ids[0], Self.target + "/" + ids[1], Self.target + "/" + ids[2])
    #expect(ask("GET", a, "", bob).code == 400_108)
    #expect(ask("GET", "/v3/scheduled_messages", "", bob).member("scheduled_messages") == "[]")
    let list = ask("GET", "/v3/scheduled_messages?order=scheduled_at&limit=1")
    #expect(list.member("scheduled_messages")?.contains(#""message":"c""#) == true && list.member("next") != "")
    #expect(ask("PUT", a, #"{"message":"A","scheduled_at":1800000005000}"#).member("message") == "A")
    #expect(ask("DELETE", b).member("scheduled_status") == "canceled")
    #expect(ask("POST", c + "/send_now").member("scheduled_status") == "sent")
    #expect(bob.last("message", of: "MESG") == "c")
    sendbird.world.advance(by: .seconds(5))
    #expect(bob.last("message", of: "MESG") == "A" && bob.commands.count { $0.hasPrefix("MESG") } == 2)
    #expect(ask("POST", c + "/send_now").code == 400_201)
    #expect(ask("GET", "/v3/scheduled_messages/count?status=sent,canceled").member("count") == "3")
    #expect(ask("GET", "/v3/scheduled_messages/count?status=in_queue").member("count") == "0")
    let refused = [
      ("{}", 400_105), (#"{"message":"x"}"#, 400_105), (#"{"message":"x","scheduled_at":1}"#, 400_113),
      (#"{"message_type":"POEM"}"#, 400_111),
    ]
    for (body, code) in refused { #expect(ask("POST", Self.target, body).code == code, "\(body)") }
    #expect(ask("GET", Self.target + "/99").code == 400_201 && ask("GET", Self.target + "/x").code == 400_101)
    #expect(ask("GET", Self.target + "/-1").code == 400_201)
  }

  @Test(.long, arguments: [FaultyStore.Fault.away, .lostAnswer, .lossy, .conflict, .late(.milliseconds(700))])
  func `scheduled messages are sent, each once, whatever is wrong with the store at their time`(
    fault: FaultyStore.Fault
  ) {
    let ids = (1...9).map { schedule("m\($0)", after: 10).member("scheduled_message_id") ?? "" }
    #expect(Set(ids.compactMap { Int($0) }).count == 9)
    sendbird.space.store.fault = fault
    sendbird.world.advance(by: .seconds(20))
    sendbird.space.store.fault = nil
    sendbird.world.advance(by: .seconds(20))
    let kept = sendbird.serve("GET", "/v3/group_channels/talk/messages?message_ts=0&prev_limit=0&next_limit=50")
    for number in 1...9 {
      #expect(kept.text.ranges(of: #""message":"m\#(number)""#).count == 1, "\(kept.text)")
      #expect(ask("GET", Self.target + "/\(ids[number - 1])").member("scheduled_status") == "sent")
    }
    #expect(bob.commands.count { $0.hasPrefix("MESG") } <= 9)
  }

  @Test
  func `scheduled messages fail if the sender is no member any more`() {
    #expect(schedule("x", after: 10).code == 0)
    ask("PUT", "/v3/group_channels/talk/leave", "{}")
    sendbird.world.advance(by: .seconds(11))
    #expect(ask("GET", Self.target + "/1").member("scheduled_status") == "failed")
    #expect(bob.last("message", of: "MESG") == nil)
  }

  @Test(arguments: StoreCase.all)
  func `scheduled messages are stored for the next process, and are claimed for sending once`(
    _ engine: StoreCase
  ) async throws {
    let store = try engine.make()
    let first = SendbirdSchedule(store, on: SerialTestExecutor(), max: 2)
    let message = F.text("hi", in: "a", by: F.ann)
    let late = try await first.add(SendbirdScheduled(message, at: F.now + .seconds(9), createdAt: F.now), at: F.now)
    let early = try await first.add(SendbirdScheduled(message, at: F.now + .seconds(5), createdAt: F.now), at: F.now)
    await #expect(throws: GatewayError.tooMany.detailed("2 scheduled messages")) {
      try await first.add(SendbirdScheduled(message, at: F.now, createdAt: F.now), at: F.now)
    }
    let second = SendbirdSchedule(store, on: SerialTestExecutor(), max: 2)
    #expect(try await second.first(5, at: F.now) == [early, late])
    let taken = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let taken = try? await second.changePending(late.id, at: F.now) { $0.status = .sent }
          return taken.flatMap { $0 } != nil
        }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(taken == 1)
    #expect(try await second.first(5, at: F.now).map(\.id) == [early.id])
    #expect(try await second.scheduled(late.id, at: F.now)?.status == .sent)
    #expect(try await second.scheduled(late.id, at: F.now + .seconds(8 * 24 * 3_600)) == nil)
  }
}
