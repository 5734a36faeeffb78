// Who cries where the switch itself is silent, or a machine is up longer than it may be.
@description('What the names begin with.')
param prefix string

@description('Where the rules are kept.')
param location string

@description('Who is told.')
param emails string[]

@description('The address of the switch.')
param publicUrl string

@description('The longest time that a session may run, in hours; decimals are allowed.')
param maxRuntimeHours string

@description('The workspace with the app\'s requests and the machines\' metrics.')
param workspaceId string

@description('What the availability test belongs to.')
param insightsId string

@description('The tags of every resource.')
param tags { *: string }

// Azure knows fractions of an hour as no number: minutes are counted from its two parts.
@description('The hours before and behind the point.')
var parts = split('0${maxRuntimeHours}.0', '.')

@description('The cap and a quarter of an hour, in minutes.')
var mostMinutes = int(parts[0]) * 60 + int(substring('${parts[1]}0', 0, 2)) * 60 / 100 + 15

@description('The shortest window that Azure offers for that, and that still sees the cap passed.')
var window = mostMinutes < 345 ? 'PT6H' : mostMinutes < 1425 ? 'P1D' : 'P2D'

// A table is there with its first row only, and a rule whose query fails for a week is
// switched off by Azure: beside each table stands one without rows, by the same columns.
@description('The app\'s requests, none where there is no such table.')
var requests = 'union isfuzzy=true AppRequests, (datatable(TimeGenerated: datetime, OperationName: string, Success: bool)[])'

@description('The machines\' metrics, in the same way.')
var metrics = 'union isfuzzy=true AzureMetrics, (datatable(TimeGenerated: datetime, MetricName: string, Maximum: real, Resource: string)[])'

@description('What the workspace says of itself, in the same way.')
var operations = 'union isfuzzy=true _LogOperation, (datatable(TimeGenerated: datetime, Detail: string)[])'

resource people 'Microsoft.Insights/actionGroups@2023-01-01' = {
  name: 'ag-${prefix}'
  location: 'global'
  tags: tags
  properties: {
    enabled: true
    groupShortName: take(prefix, 12)
    emailReceivers: [
      for (email, at) in emails: {
        name: 'person-${at}'
        emailAddress: email
        useCommonAlertSchema: true
      }
    ]
  }
}

// A query of nothing never fires: this one always has its one row.
resource silent 'Microsoft.Insights/scheduledQueryRules@2026-03-01' = {
  name: 'alert-${prefix}-timer-silent'
  location: location
  tags: tags
  kind: 'LogAlert'
  properties: {
    displayName: 'The timer is silent'
    description: 'No tick in 15 minutes: nothing ends a session but the machine itself and the daily shutdown. Press stop; see docs/deploy.md.'
    severity: 0
    enabled: true
    // One mail may be missed: it is said again each hour, until it is over.
    autoMitigate: false
    muteActionsDuration: 'PT1H'
    scopes: [
      workspaceId
    ]
    evaluationFrequency: 'PT5M'
    windowSize: 'PT15M'
    skipQueryValidation: true
    criteria: {
      allOf: [
        {
          query: '${requests} | where OperationName == "tick" and Success == true | summarize Ticks = count()'
          timeAggregation: 'Total'
          metricMeasureColumn: 'Ticks'
          operator: 'LessThan'
          threshold: 1
          failingPeriods: {
            numberOfEvaluationPeriods: 1
            minFailingPeriodsToAlert: 1
          }
        }
      ]
    }
    actions: {
      actionGroups: [
        people.id
      ]
    }
  }
}

// It counts minutes in which a machine was up, not one session: two sessions within the
// window look like one. A guest that is shut down and billed is not up: the next rule.
resource long 'Microsoft.Insights/scheduledQueryRules@2026-03-01' = {
  name: 'alert-${prefix}-up-too-long'
  location: location
  tags: tags
  kind: 'LogAlert'
  properties: {
    displayName: 'A machine is up for too long'
    description: 'A machine was up for more than ${mostMinutes} minutes of the last ${window}. Deallocate it: every minute costs; see docs/deploy.md.'
    severity: 0
    enabled: true
    // One mail may be missed: it is said again each hour, until it is over.
    autoMitigate: false
    muteActionsDuration: 'PT1H'
    scopes: [
      workspaceId
    ]
    evaluationFrequency: 'PT5M'
    windowSize: window
    skipQueryValidation: true
    criteria: {
      allOf: [
        {
          query: '${metrics} | where MetricName == "VmAvailabilityMetric" and Maximum > 0 | summarize Minutes = count_distinct(bin(TimeGenerated, 1m)) by Resource | summarize Minutes = coalesce(max(Minutes), 0)'
          timeAggregation: 'Total'
          metricMeasureColumn: 'Minutes'
          operator: 'GreaterThan'
          threshold: mostMinutes
          failingPeriods: {
            numberOfEvaluationPeriods: 1
            minFailingPeriodsToAlert: 1
          }
        }
      ]
    }
    actions: {
      actionGroups: [
        people.id
      ]
    }
  }
}

resource down 'Microsoft.Insights/scheduledQueryRules@2026-03-01' = {
  name: 'alert-${prefix}-down-and-billed'
  location: location
  tags: tags
  kind: 'LogAlert'
  properties: {
    displayName: 'A machine is down and billed'
    description: 'A machine reports itself as not available, and is not deallocated. Deallocate it; see docs/deploy.md.'
    severity: 1
    enabled: true
    // One mail may be missed: it is said again each hour, until it is over.
    autoMitigate: false
    muteActionsDuration: 'PT1H'
    scopes: [
      workspaceId
    ]
    evaluationFrequency: 'PT5M'
    windowSize: 'PT30M'
    skipQueryValidation: true
    criteria: {
      allOf: [
        {
          query: '${metrics} | where MetricName == "VmAvailabilityMetric" and Maximum == 0 | summarize Minutes = count()'
          timeAggregation: 'Total'
          metricMeasureColumn: 'Minutes'
          operator: 'GreaterThan'
          threshold: 15
          failingPeriods: {
            numberOfEvaluationPeriods: 1
            minFailingPeriodsToAlert: 1
          }
        }
      ]
    }
    actions: {
      actionGroups: [
        people.id
      ]
    }
  }
}

// Every route is open to the world: a flood of requests uses the day's gigabytes up, and
// then neither requests nor metrics arrive.
resource full 'Microsoft.Insights/scheduledQueryRules@2026-03-01' = {
  name: 'alert-${prefix}-log-is-full'
  location: location
  tags: tags
  kind: 'LogAlert'
  properties: {
    displayName: 'The log takes no more today'
    description: 'The day\'s gigabytes are used up: the other alerts see nothing until tomorrow. Look at the machine\'s power state yourself; see docs/deploy.md.'
    severity: 1
    enabled: true
    autoMitigate: false
    muteActionsDuration: 'PT6H'
    scopes: [
      workspaceId
    ]
    evaluationFrequency: 'PT15M'
    windowSize: 'PT1H'
    skipQueryValidation: true
    criteria: {
      allOf: [
        {
          query: '${operations} | where Detail contains "OverQuota" | summarize Times = count()'
          timeAggregation: 'Total'
          metricMeasureColumn: 'Times'
          operator: 'GreaterThan'
          threshold: 0
          failingPeriods: {
            numberOfEvaluationPeriods: 1
            minFailingPeriodsToAlert: 1
          }
        }
      ]
    }
    actions: {
      actionGroups: [
        people.id
      ]
    }
  }
}

// From outside, by what the app answers: it needs no log line of the app's to arrive.
resource probe 'Microsoft.Insights/webtests@2022-06-15' = {
  name: 'probe-${prefix}'
  location: location
  tags: union(tags, { 'hidden-link:${insightsId}': 'Resource' })
  kind: 'standard'
  properties: {
    Name: 'probe-${prefix}'
    SyntheticMonitorId: 'probe-${prefix}'
    Kind: 'standard'
    Enabled: true
    Frequency: 300
    Timeout: 30
    RetryEnabled: true
    Locations: [
      {
        Id: 'us-va-ash-azr'
      }
      {
        Id: 'emea-nl-ams-azr'
      }
      {
        Id: 'apac-sg-sin-azr'
      }
      {
        Id: 'us-ca-sjc-azr'
      }
      {
        Id: 'emea-gb-db3-azr'
      }
    ]
    Request: {
      RequestUrl: '${publicUrl}/healthz'
      HttpVerb: 'GET'
      FollowRedirects: false
      ParseDependentRequests: false
    }
    ValidationRules: {
      ExpectedHttpStatusCode: 200
      IgnoreHttpStatusCode: false
      SSLCheck: true
      SSLCertRemainingLifetimeCheck: 7
    }
  }
}

resource unwell 'Microsoft.Insights/metricAlerts@2026-01-01' = {
  name: 'alert-${prefix}-unwell'
  location: 'global'
  tags: tags
  properties: {
    description: 'The switch says from outside that its last tick is old, or says nothing. Press stop; see docs/deploy.md.'
    severity: 0
    enabled: true
    autoMitigate: true
    scopes: [
      probe.id
      insightsId
    ]
    evaluationFrequency: 'PT1M'
    windowSize: 'PT15M'
    criteria: {
      'odata.type': 'Microsoft.Azure.Monitor.WebtestLocationAvailabilityCriteria'
      webTestId: probe.id
      componentId: insightsId
      failedLocationCount: 3
    }
    actions: [
      {
        actionGroupId: people.id
      }
    ]
  }
}

@description('What calls and writes to people.')
output actionGroupId string = people.id
