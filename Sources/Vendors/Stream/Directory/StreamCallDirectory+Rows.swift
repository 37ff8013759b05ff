internal import GatewayCore
internal import GatewayKit

// How calls are stored.

extension StreamCallDirectory {
  static let joined = StoreTable<StreamJoinedRow>("stream.joined")

  /// Replaces the `known` row by `call`, if there is room.
  func put(
    _ call: StreamCall, over known: StreamCall?, in transaction: inout Transaction
  ) throws(StoreOr<GatewayError>) {
    do throws(GatewayError) { try check(call, known) } catch { throw .failure(error) }
    putMembers(of: call, over: known, in: &transaction)
    var row = StreamCallRow(call: call)
    row.call.members = call.members.alone
    transaction.put(Self.calls.key(call.id.cid), row, in: counts(of: call))
    follow(known?.participants ?? [], call.participants, of: call.id, in: &transaction)
  }

  private func counts(of call: StreamCall) -> [StoreCount] {
    var counts = [
      StoreCount("stream.calls", atMost: limits.calls, of: "calls"),
      bytes(call.footprintWithoutMembers),
    ]
    if !call.participants.isEmpty {
      counts.append(
        StoreCount(
          "stream.participants", atMost: limits.participants, of: "participants of all calls",
          weight: call.participants.count))
    }
    return counts
  }

  func bytes(_ weight: Int) -> StoreCount {
    StoreCount("stream.calls.bytes", atMost: limits.bytes, of: "bytes of all calls", weight: weight)
  }

  private func check(_ call: StreamCall, _ before: StreamCall?) throws(GatewayError) {
    let sizes = [
      (\StreamCall.participants.count, limits.participantsOfCall, "participants of a call"),
      (\.blocked.count, limits.membersOfCall, "blocked users of a call"),
      (\.grants.count, limits.membersOfCall, "users of a call with capabilities of their own"),
      (\.answerCount, limits.membersOfCall, "answers to the ring of a call"),
    ]
    for (size, most, noun) in sizes {
      let count = call[keyPath: size]
      // Refuses only growth: a full table can still be emptied.
      guard count <= most || count <= before?[keyPath: size] ?? 0 else { throw .tooMany.detailed("\(most) \(noun)") }
    }
  }

  /// Updates the table of participations: writes the rows of participants who joined, left or changed the connection.
  private func follow(
    _ before: [StreamCallParticipant], _ after: [StreamCallParticipant], of call: CallID,
    in transaction: inout Transaction
  ) {
    let (old, new) = StreamCallChange.differing(before, after)
    for participant in old { transaction.delete(Self.key(participant, call)) }
    for participant in new {
      transaction.put(Self.key(participant, call), StreamJoinedRow(call: call))
    }
  }

  /// Returns the key of a participation; without a connection that part of the key is empty.
  static func key(_ participant: StreamCallParticipant, _ call: CallID) -> StoreKey {
    joined.key(participant.user.rawValue, participant.connection?.description ?? "", call.cid)
  }
}

extension StreamCall {
  var participants: [StreamCallParticipant] { session?.participants ?? [] }

  fileprivate var answerCount: Int {
    session.map { $0.acceptedBy.count + $0.rejectedBy.count + $0.missedBy.count + $0.ringing.count } ?? 0
  }
}
