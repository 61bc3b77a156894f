//! Orders and callers that cross each other: stops, dependencies, those who leave.

use toolsmith_core::ErrorKind;

use super::*;

#[tokio::test(start_paused = true)]
async fn a_stop_during_the_start_turns_away_who_waits_for_it_and_is_not_undone() {
    let theatre = theatre(None, 0, 10);
    let mut callers = JoinSet::new();
    for number in 0..10 {
        let service = Arc::clone(&theatre.service);
        callers.spawn(async move { service.attempt(json!(number)).await });
    }
    theatre.wait_for(State::Starting).await;
    timeout(Duration::from_secs(1), theatre.services.stop("t")).await.unwrap();
    for result in callers.join_all().await {
        let error = result.map_err(Failure::into_error).unwrap_err();
        let told = "The process of `t` was stopped while it was being started. Try again later.";
        assert_eq!(error.message(), told);
        assert!(error.is_retryable());
    }
    assert_eq!(theatre.script.started.load(Ordering::Relaxed), 1);
    theatre.script.starts.add_permits(1);
    assert_eq!(theatre.call(json!(1)).await.unwrap(), json!(1), "the next call starts it");
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_although_callers_keep_coming_and_the_next_of_them_starts_it_again() {
    let theatre = theatre(None, 100, 0);
    let first = theatre.call(json!(1));
    let stopping = async {
        theatre.wait_for(State::Running).await;
        theatre.services.stop("t").await;
    };
    let coming = async {
        theatre.wait_for(State::Stopping).await;
        let call = theatre.call(json!(2));
        let letting = async {
            theatre.wait_for(State::Running).await;
            theatre.script.calls.add_permits(10);
        };
        tokio::join!(call, letting).0
    };
    let all = async { tokio::join!(first, stopping, coming) };
    let (first, (), second) = timeout(Duration::from_mins(1), all).await.unwrap();
    // What is played here goes on after the stop; a real one breaks the connection.
    assert_eq!((first.unwrap(), second.unwrap()), (json!(1), json!(2)));
    assert_eq!(theatre.script.started.load(Ordering::Relaxed), 2);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_a_stop_cuts_off_is_told_so() {
    let theatre = theatre(None, 10, 0);
    let stopping = async {
        theatre.wait_for(State::Running).await;
        theatre.services.stop("t").await;
    };
    let calling = async {
        let result = theatre.call(json!("lost")).await;
        theatre.wait_for(State::Stopped).await;
        result
    };
    let (result, ()) = tokio::join!(calling, stopping);
    let told = "The process of `t` was stopped before it answered; the call may have run. Try \
                again later.";
    assert_eq!(result.unwrap_err().message(), told);
}

#[tokio::test(start_paused = true)]
async fn what_a_service_depends_on_is_started_first_and_kept_while_it_runs() {
    let theatre = theatre(Some(Duration::from_secs(5)), 2, 10);
    let second = dependent(&theatre);
    second.attempt(json!(1)).await.map_err(Failure::into_error).unwrap();
    assert_eq!(theatre.script.started.load(Ordering::Relaxed), 2);
    assert_eq!(theatre.heard.lock().first(), Some(&State::Starting));
    sleep(Duration::from_mins(1)).await;
    assert_eq!(theatre.state(), State::Running, "it is needed although nobody calls it");
    theatre.services.stop("second").await;
    theatre.wait_for(State::Stopped).await;
}

#[tokio::test(start_paused = true)]
async fn a_dependency_that_does_not_start_is_named_and_nothing_else_is_started() {
    let theatre = theatre(None, 2, 10);
    theatre.script.refuses.store(true, Ordering::Relaxed);
    let second = dependent(&theatre);
    let error = second.attempt(json!(1)).await.map_err(Failure::into_error).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DependencyError);
    let told = "`second` was not started, since `t`, which it depends on, did not start: It does \
                not start.";
    assert_eq!(error.message(), told);
    assert_eq!(theatre.script.started.load(Ordering::Relaxed), 1);
}

#[tokio::test(start_paused = true)]
async fn a_service_that_answers_nobody_is_ended_although_callers_keep_coming() {
    let theatre = theatre(None, 10, 0);
    theatre.script.is_sick.store(true, Ordering::Relaxed);
    let crowd = async {
        let mut callers = JoinSet::new();
        for _ in 0..100 {
            let service = Arc::clone(&theatre.service);
            callers.spawn(async move {
                timeout(Duration::from_secs(10), service.attempt(json!(1))).await.ok();
            });
            sleep(Duration::from_secs(1)).await;
        }
    };
    tokio::select! {
        () = crowd => panic!("it was never ended"),
        () = theatre.wait_for(State::Failed) => {}
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_takes_long_is_waited_for_although_its_service_says_nothing_else() {
    let theatre = theatre(None, 10, 0);
    theatre.script.is_sick.store(true, Ordering::Relaxed);
    let letting = async {
        sleep(Duration::from_mins(2)).await;
        theatre.script.calls.add_permits(1);
    };
    let (result, ()) = tokio::join!(theatre.call(json!(1)), letting);
    assert_eq!(result.unwrap(), json!(1), "it has one thread, which was busy");
}

#[tokio::test(start_paused = true)]
async fn an_idle_stop_and_a_call_at_the_same_moment_end_in_an_answer() {
    for after in 4_990..5_010 {
        let theatre = theatre(Some(Duration::from_secs(5)), 10, 10);
        theatre.call(json!(1)).await.unwrap();
        sleep(Duration::from_millis(after)).await;
        assert_eq!(theatre.call(json!(2)).await.unwrap(), json!(2), "after {after} ms");
    }
}

#[tokio::test(start_paused = true)]
async fn closing_during_a_start_turns_everybody_away() {
    let theatre = theatre(None, 0, 10);
    let closing = async {
        theatre.wait_for(State::Starting).await;
        theatre.services.close().await;
    };
    let (result, ()) = tokio::join!(theatre.call(json!(1)), closing);
    assert!(result.unwrap_err().message().contains("was stopped while it was being started"));
}
