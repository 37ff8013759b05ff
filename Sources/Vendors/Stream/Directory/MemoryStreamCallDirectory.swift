package import GatewayCore

/// Stream's calls in the memory of one process: gone when it ends.
///
/// Runs on the executor it is given, so that in a simulated world its answers come in the same order every time.
package actor MemoryStreamCallDirectory: StreamCallDirectory {
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let executor: any SerialExecutor
  private let limits: MemoryStreamCallLimits
  private var known: [CallID: StreamCall] = [:]
  /// What all calls hold together.
  private var memberCount = 0
  private var participantCount = 0
  private var byteCount = 0
  /// What each call takes.
  private var sizes: [CallID: Size] = [:]
  /// The calls that users take part in.
  private var joined: [Presence: Set<CallID>] = [:]

  private struct Size {
    var members = 0
    var others = 0

    var all: Int { members + others }
  }

  private struct Presence: Hashable {
    let user: UserID
    let connection: ConnectionID?

    init(_ user: UserID, _ connection: ConnectionID?) {
      self.user = user
      self.connection = connection
    }
  }

  /// An empty directory.
  package init(on executor: any SerialExecutor, limits: MemoryStreamCallLimits = MemoryStreamCallLimits()) {
    self.executor = executor
    self.limits = limits
  }

  package func call(_ id: CallID) -> StreamCall? { known[id] }

  package func makeCall(_ call: StreamCall) throws(GatewayError) -> (call: StreamCall, isNew: Bool) {
    if let known = known[call.id] { return (known, false) }
    guard known.count < limits.calls else { throw .tooMany.detailed("\(limits.calls) calls") }
    try replace(nil, by: call)
    return (call, true)
  }

  package func updateCall(_ id: CallID, _ change: @escaping Change) throws(GatewayError) -> StreamCallChange {
    guard let before = known[id] else { throw .notFound.detailed("there is no call \(id)") }
    var after = before
    try change(&after)
    try replace(before, by: after)
    return StreamCallChange(before: before, after: after)
  }

  package func removeCall(_ id: CallID) -> StreamCall? {
    guard let call = known.removeValue(forKey: id) else { return nil }
    memberCount -= call.members.count
    participantCount -= call.participants.count
    byteCount -= sizes.removeValue(forKey: id)?.all ?? 0
    for participant in call.participants { forget(participant, of: id) }
    return call
  }

  package func calls(
    where isMeant: @escaping @Sendable (StreamCall) -> Bool,
    by precedes: @escaping @Sendable (StreamCall, StreamCall) -> Bool, offset: Int, limit: Int
  ) -> [StreamCall] {
    Array(known.values.filter(isMeant).sorted(by: precedes).dropFirst(offset).prefix(limit))
  }

  package func calls(joinedBy user: UserID, on connection: ConnectionID?) -> [CallID] {
    (joined[Presence(user, connection)] ?? []).sorted { $0.cid < $1.cid }
  }

  /// Puts `after` in the place of `before` if there is room for it.
  private func replace(_ before: StreamCall?, by after: StreamCall) throws(GatewayError) {
    let moreMembers = after.members.count - (before?.members.count ?? 0)
    let moreParticipants = after.participants.count - (before?.participants.count ?? 0)
    try check(after.members.count, limits.membersOfCall, moreMembers, "members of a call")
    try check(memberCount + moreMembers, limits.members, moreMembers, "members of all calls")
    try check(after.participants.count, limits.participantsOfCall, moreParticipants, "participants of a call")
    try check(participantCount + moreParticipants, limits.participants, moreParticipants, "participants of all calls")
    let others = [
      (after.blocked.count, before?.blocked.count ?? 0, "blocked users of a call"),
      (after.grants.count, before?.grants.count ?? 0, "users of a call with capabilities of their own"),
      (after.session?.answerCount ?? 0, before?.session?.answerCount ?? 0, "answers to the ring of a call"),
    ]
    for (count, former, what) in others { try check(count, limits.membersOfCall, count - former, what) }
    let (former, size) = (sizes[after.id] ?? Size(), size(of: after, before: before))
    let moreBytes = size.all - former.all
    try check(byteCount + moreBytes, limits.bytes, moreBytes, "bytes of all calls")
    byteCount += moreBytes
    sizes[after.id] = size
    memberCount += moreMembers
    participantCount += moreParticipants
    known[after.id] = after
    follow(before?.participants ?? [], after.participants, of: after.id)
  }

  /// What the call takes. Members, of whom there may be thousands, are looked at only if they are others than before.
  private func size(of call: StreamCall, before: StreamCall?) -> Size {
    var size = sizes[call.id] ?? Size()
    if before?.members != call.members { size.members = call.members.reduce(0) { $0 + $1.footprint } }
    size.others = call.footprintWithoutMembers
    return size
  }

  /// Refuses only what grows: a table that is full can still be emptied.
  private func check(_ count: Int, _ limit: Int, _ more: Int, _ what: String) throws(GatewayError) {
    guard more <= 0 || count <= limit else { throw .tooMany.detailed("\(limit) \(what)") }
  }

  /// Keeps the table of presences true. Most changes touch nobody, or one at the end: those cost no look at the rest.
  private func follow(_ before: [StreamCallParticipant], _ after: [StreamCallParticipant], of call: CallID) {
    let same = zip(before, after).prefix { $0 == $1 }.count
    for participant in before.dropFirst(same) { forget(participant, of: call) }
    for participant in after.dropFirst(same) {
      joined[Presence(participant.user, participant.connection), default: []].insert(call)
    }
  }

  private func forget(_ participant: StreamCallParticipant, of call: CallID) {
    let presence = Presence(participant.user, participant.connection)
    joined[presence]?.remove(call)
    if joined[presence]?.isEmpty == true { joined[presence] = nil }
  }
}

extension StreamCall {
  fileprivate var participants: [StreamCallParticipant] { session?.participants ?? [] }
}

extension StreamCallSession {
  fileprivate var answerCount: Int { acceptedBy.count + rejectedBy.count + missedBy.count + ringing.count }
}
